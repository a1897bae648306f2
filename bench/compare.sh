#!/usr/bin/env bash
# Measures Tidemark beside Apache Kafka on this machine and prints each bar as PASS or FAIL with its figures.
#
#   bench/compare.sh [-m MODE] [-r PAIRS] [-w WORKLOADS] [-o FILE]
#     -m MODE       single: one node; combined3: three nodes in three processes, replication factor 3 (default: both,
#                   one after the other)
#     -r PAIRS      alternating pairs, Kafka first in the odd ones (default 3; the figures are medians)
#     -w WORKLOADS  of run.py, comma separated (default: those of the bars; not without -m)
#     -o FILE       the measured lines, one JSON each; .MODE is added (default: new files under $BENCH_HOME)
#
# From a clone: `mvn -B package` first (it makes the distribution that is measured). Needs python3, a JDK and Maven
# (which fetches Kafka's jars once). Never two clusters at a time. Takes about ten
# minutes a pair for one node, and fifteen for three. Exit 0: all bars
# pass; 1: one fails or was not measured; 2: usage. As root, run it under nice -n -15 on a shared machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export BENCH_HOME=${BENCH_HOME:-${TMPDIR:-/tmp}/kbase}
usage() { sed -n '2,15p' "${BASH_SOURCE[0]}"; exit 2; }
modes='single combined3' pairs=3 out= w=
while getopts m:r:w:o: f; do
  case $f in m) modes=$OPTARG ;; r) pairs=$OPTARG ;; w) w=$OPTARG ;; o) out=$OPTARG ;; *) usage ;; esac
done
case $modes in single | combined3) ;; 'single combined3') [ -z "$w" ] || usage ;; *) usage ;; esac
out=${out:-$BENCH_HOME/compare-$(date +%Y%m%d-%H%M%S).jsonl}
of_bars() {
  if [ "$1" = single ]; then
    echo i_single,k_single,h_single,l_single,l_many,warm,e,a,f,b,sync
  else
    echo i_combined3,k_combined3,h,warm,e,d1u,d2u,a,b,c,j_kill,j_killc,j_stop
  fi
}
mkdir -p "$BENCH_HOME"
[ -d "$BENCH_HOME/lib-${KAFKA_VERSION:-4.4.0}" ] || "$here/peer/kafka.sh" resolve
"$here/tidemark.sh" resolve >/dev/null
ctl() { if [ "$1" = kafka ]; then echo "$here/peer/kafka.sh"; else echo "$here/tidemark.sh"; fi; }
# shellcheck disable=SC2064
trap "'$here/peer/kafka.sh' stop; '$here/tidemark.sh' stop" EXIT
measure() { # MODE WORKLOADS FILE
  local mode=$1 names=$2 lines=$3 pair t c starts loads order=(kafka tidemark)
  for ((pair = 1; pair <= pairs; pair++)); do
    for t in "${order[@]}"; do
      c=$(ctl "$t")
      echo "$mode, pair $pair of $pairs: $t" >&2
      "$c" stop
      # i, k, h and l format and start their own nodes; the others share one that is warmed up first.
      starts=$(tr ',' '\n' <<<"$names" | grep -E '^([ikl]_|h)' | paste -sd, -) || true
      loads=$(tr ',' '\n' <<<"$names" | grep -vE '^([ikl]_|h)' | paste -sd, -) || true
      if [ -n "$starts" ]; then
        "$here/run.py" --ctl "$c" --label "$t" --only "$starts" --out "$lines" >&2
        "$c" stop
      fi
      if [ -n "$loads" ]; then
        "$c" format "$mode"
        "$c" start "$mode"
        sleep 10
        # shellcheck disable=SC2086
        "$here/run.py" --ctl "$c" --label "$t" --only "$loads" --out "$lines" ${RUN_FLAGS:---max-other 10 --retry 1} >&2
        "$c" stop
      fi
    done
    order=("${order[1]}" "${order[0]}")
  done
}
failed=0
for mode in $modes; do
  lines=${out%.jsonl}.$mode.jsonl
  measure "$mode" "${w:-$(of_bars "$mode")}" "$lines"
  "$here/table.py" "$lines"
  echo
  "$here/bars.py" "$mode" "$lines" || failed=1
done
exit $failed
