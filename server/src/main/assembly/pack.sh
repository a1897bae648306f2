#!/bin/sh
# pack.sh TARGET VERSION JAVA_HOME: makes the class archive of the release folder TARGET/dist for that JDK, and packs the
# folder as TARGET/tidemark-VERSION.tar.gz.
set -eu
target=$(CDPATH='' cd -- "$1" && pwd -P)
name=tidemark-$2
# One time for all files: the build is the same each time, and the archive, which holds the jars' times, fits the packed ones.
time=2026-01-01T00:00:00Z
find "$target/dist" -exec touch -d $time {} +
rm -f "$target"/dist/lib/*.jsa "$target"/dist/lib/*.aot
JAVA_HOME=$3 "$target/dist/bin/tidemark" --make-archive || echo "pack: the release has no class archive; it starts slower" >&2
rm -f "$target/dist/lib/archive.place"
tar -C "$target" --transform "s,^dist,$name," --sort=name --mtime=$time --owner=0 --group=0 --numeric-owner -cf - dist \
  | gzip -n > "$target/$name.tar.gz"
echo "$target/dist/lib" > "$target/dist/lib/archive.place"
touch "$target/built"
