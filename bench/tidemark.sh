#!/usr/bin/env bash
# Tidemark from the built distribution, on 127.0.0.1, as the cluster that is measured.
# The verbs are peer/kafka.sh's: format, start, start-node, kill-node, stop, pids, bootstrap, clean; resolve unpacks
# the distribution that `mvn package` made.
#
# Environment (defaults): BENCH_HOME (${TMPDIR:-/tmp}/kbase), TIDEMARK_PORT (29092), TIDEMARK_NAME (tidemark: names
#   the data folder), TIDEMARK_DIST (the newest server/target/tidemark-*.tar.gz), JAVA_HOME (Temurin 25 if it is
#   there, else java of PATH), TIDEMARK_EXTRA_CONFIG (more server.properties lines). The JVM flags are those that
#   bin/tidemark ships.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BENCH_HOME=${BENCH_HOME:-${TMPDIR:-/tmp}/kbase}
TIDEMARK_PORT=${TIDEMARK_PORT:-29092}
TIDEMARK_NAME=${TIDEMARK_NAME:-tidemark}
TIDEMARK_EXTRA_CONFIG=${TIDEMARK_EXTRA_CONFIG:-}
STOP_WAIT=${STOP_WAIT:-30}
CLUSTER_ID=kVf3bqXvT0-0XcJpQ1mKbw
DIRECTORY_IDS=(- Yd6kq0pJQmK3v5cW1u8tAg r2Nw7ZsXTFOeL9hB4yVdMw b8JcUoGqRZ-5iD0mEaTnPQ)
run=$BENCH_HOME/$TIDEMARK_NAME
home=$BENCH_HOME/$TIDEMARK_NAME-dist
if [ -z "${JAVA_HOME:-}" ]; then # a JDK 25 beside the java of PATH, as for the peer
  jvms=$(dirname "$(readlink -f "$(command -v java)")")/../..
  for j in "$jvms"/*-25-jdk*; do [ -x "$j/bin/java" ] && JAVA_HOME=$(cd "$j" && pwd); done
  [ -n "${JAVA_HOME:-}" ] && export JAVA_HOME
fi

resolve() {
  local dist=${TIDEMARK_DIST:-$(ls -t "$here"/../server/target/tidemark-*.tar.gz 2>/dev/null | head -1)}
  [ -n "$dist" ] || { echo "no distribution: run mvn -B package first" >&2; exit 1; }
  if [ ! -e "$home/bin/tidemark" ] || [ "$dist" -nt "$home" ]; then
    rm -rf "$home"; mkdir -p "$home"
    tar -xzf "$dist" -C "$home" --strip-components=1
    touch "$home"
  fi
}
nodes() { if [ "$1" = combined3 ]; then echo 1 2 3; else echo 1; fi; }
bport() { echo $((TIDEMARK_PORT + $1 - 1)); }
cport() { echo $((TIDEMARK_PORT + 100 + $1 - 1)); }
mode() { cat "$run/mode" 2>/dev/null || echo single; }
alive() { local p; p=$(cat "$run/node.$1.pid" 2>/dev/null) && [ -n "$p" ] && kill -0 "$p" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$p/status" 2>/dev/null; }

config() { # MODE ID; replication factor and min.insync.replicas are the defaults: 3 and 2 where there are 3 brokers
  local ctl= n
  for n in $(nodes "$1"); do ctl=$ctl,127.0.0.1:$(cport "$n"); done
  if [ "$1" = combined3 ]; then
    cat <<C
process.roles=broker,controller
listeners=PLAINTEXT://127.0.0.1:$(bport "$2"),CONTROLLER://127.0.0.1:$(cport "$2")
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.quorum.bootstrap.servers=${ctl#,}
C
  else
    echo "listeners=PLAINTEXT://127.0.0.1:$(bport "$2")"
  fi
  cat <<C
node.id=$2
log.dirs=$run/data.$2
log.segment.delete.delay.ms=2000
$TIDEMARK_EXTRA_CONFIG
C
}
voters() { # of combined3, each with a directory id of its own
  local n all=
  for n in 1 2 3; do all=$all,$n@127.0.0.1:$(cport "$n"):${DIRECTORY_IDS[$n]}; done
  echo "${all#,}"
}
format() {
  local n how=()
  [ "$1" = combined3 ] && how=(--cluster-id "$CLUSTER_ID" --initial-controllers "$(voters)")
  for n in 1 2 3; do if alive $n; then echo "node $n is running" >&2; exit 1; fi; done
  resolve
  rm -rf "$run"; mkdir -p "$run"
  for n in $(nodes "$1"); do
    config "$1" "$n" > "$run/node.$n.properties"
    "$home/bin/tidemark" format --config "$run/node.$n.properties" "${how[@]}" > "$run/node.$n.format" 2>&1 \
      || { cat "$run/node.$n.format" >&2; exit 1; }
  done
  echo "$1" > "$run/mode"
}
start_node() {
  setsid "$home/bin/tidemark" server --config "$run/node.$1.properties" >> "$run/node.$1.out" 2>&1 < /dev/null &
  echo $! > "$run/node.$1.pid"
}
stop() {
  local n p i
  for n in 1 2 3; do if alive $n; then kill -CONT "$(cat "$run/node.$n.pid")"; kill "$(cat "$run/node.$n.pid")" || true; fi; done
  for ((i = 0; i < STOP_WAIT * 10; i++)); do
    if ! alive 1 && ! alive 2 && ! alive 3; then break; fi
    sleep 0.1
  done
  for n in 1 2 3; do
    if alive $n; then p=$(cat "$run/node.$n.pid"); kill -KILL "$p"; while kill -0 "$p" 2>/dev/null; do sleep 0.05; done; fi
    rm -f "$run/node.$n.pid"
  done
}
case ${1:-} in
  resolve) resolve; echo "$home" ;;
  format) format "${2:-single}" ;;
  start)
    m=${2:-single}
    if [ "$(cat "$run/mode" 2>/dev/null)" != "$m" ]; then format "$m"; fi
    for n in $(nodes "$m"); do start_node "$n"; done ;;
  start-node) start_node "$2" ;;
  kill-node) kill "-${3:-KILL}" "$(cat "$run/node.$2.pid")" ;;
  stop) stop ;;
  pids) o=; for n in $(nodes "$(mode)"); do if alive "$n"; then o=$o,$n:$(cat "$run/node.$n.pid"); fi; done; echo "${o#,}" ;;
  bootstrap) o=; for n in $(nodes "$(mode)"); do o=$o,127.0.0.1:$(bport "$n"); done; echo "${o#,}" ;;
  clean) stop; rm -rf "$run" "$home" ;;
  *) sed -n '2,10p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
