#!/usr/bin/env bash
# Measures Tidemark beside Apache Kafka on this machine and prints each bar as PASS or FAIL with its figures.
#
#   bench/compare.sh [-r PAIRS] [-w WORKLOADS] [-o FILE]
#     -r PAIRS      alternating pairs, Kafka first in the odd ones (default 3; the figures are medians)
#     -w WORKLOADS  of run.py, comma separated (default: those of the bars)
#     -o FILE       the measured lines, one JSON each (default: a new file under $BENCH_HOME)
#
# From a clone: `mvn -B package` first (it makes the distribution that is measured). Needs python3, a JDK and Maven
# (which fetches Kafka's jars once). Never two clusters at a time. Takes about fifteen minutes a pair. Exit 0: all bars
# pass; 1: one fails or was not measured; 2: usage. As root, run it under nice -n -15 on a shared machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export BENCH_HOME=${BENCH_HOME:-${TMPDIR:-/tmp}/kbase}
mode=single pairs=3 out= w=i_single,k_single,h_single,l_single,l_many,warm,e,a,f,b,sync
while getopts r:w:o: f; do
  case $f in r) pairs=$OPTARG ;; w) w=$OPTARG ;; o) out=$OPTARG ;; *) sed -n '2,12p' "${BASH_SOURCE[0]}"; exit 2 ;; esac
done
out=${out:-$BENCH_HOME/compare-$(date +%Y%m%d-%H%M%S).jsonl}
mkdir -p "$BENCH_HOME"
[ -d "$BENCH_HOME/lib-${KAFKA_VERSION:-4.4.0}" ] || "$here/peer/kafka.sh" resolve
"$here/tidemark.sh" resolve >/dev/null
ctl() { if [ "$1" = kafka ]; then echo "$here/peer/kafka.sh"; else echo "$here/tidemark.sh"; fi; }
order=(kafka tidemark)
# shellcheck disable=SC2064
trap "'$here/peer/kafka.sh' stop; '$here/tidemark.sh' stop" EXIT
for ((pair = 1; pair <= pairs; pair++)); do
  for t in "${order[@]}"; do
    c=$(ctl "$t")
    echo "pair $pair of $pairs: $t" >&2
    "$c" stop
    # i, k, h and l format and start their own nodes; the others share one that is warmed up first.
    starts=$(tr ',' '\n' <<<"$w" | grep -E '^[ikhl]_' | paste -sd, -) || true
    loads=$(tr ',' '\n' <<<"$w" | grep -vE '^[ikhl]_' | paste -sd, -) || true
    if [ -n "$starts" ]; then
      "$here/run.py" --ctl "$c" --label "$t" --only "$starts" --out "$out" >&2
      "$c" stop
    fi
    if [ -n "$loads" ]; then
      "$c" format "$mode"
      "$c" start "$mode"
      sleep 10
      # shellcheck disable=SC2086
      "$here/run.py" --ctl "$c" --label "$t" --only "$loads" --out "$out" ${RUN_FLAGS:---max-other 10 --retry 1} >&2
      "$c" stop
    fi
  done
  order=("${order[1]}" "${order[0]}")
done
"$here/table.py" "$out"
echo
"$here/bars.py" "$out"
