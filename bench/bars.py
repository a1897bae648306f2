#!/usr/bin/env python3
"""Prints each bar as PASS or FAIL: bars.py MODE FILE   (MODE: single or combined3; FILE: the lines of run.py for the labels
kafka and tidemark). The figure of a ratio is the median over the pairs of tidemark's value divided by kafka's of the same
pair; other figures are tidemark's alone."""
import json, statistics, sys

# what, workload, field, "max" (the ratio is at most) or "min" (at least), limit
RATIOS = {
    "single": [
        ("exec to first acknowledged record, first boot", "i_single", "first_boot_ms", "max", 1 / 3),
        ("exec to first acknowledged record, with data", "i_single", "restart_ms", "max", 1 / 3),
        ("RSS 30 s after the start", "k_single", "rss_mb", "max", 1 / 3),
        ("CPU 30 s after the start", "k_single", "broker_cpu_pct", "max", 1 / 3),
        ("unbatched 100 B: rate", "e", "rec_s", "min", 1.15),
        ("unbatched 100 B: broker CPU a record", "e", "broker_cpu_s_per_mrec", "max", 0.65),
        ("batched 1 KiB: rate", "a", "rec_s", "min", 1.0),
        ("batched 1 KiB: broker CPU a record", "a", "broker_cpu_s_per_mrec", "max", 0.85),
        ("batched 100 B: rate", "b", "rec_s", "min", 1.0),
        ("batched 100 B: broker CPU a record", "b", "broker_cpu_s_per_mrec", "max", 0.7),
        ("consume: rate", "f", "fetch_mb_s", "min", 1.0),
        ("consume: broker CPU a record", "f", "broker_cpu_s_per_mrec", "max", 0.5),
        ("2,000 partitions: a record in each", "h_single", "all_acked_ms", "max", 1 / 4),
        ("2,000 partitions: idle CPU", "h_single", "broker_cpu_pct", "max", 1 / 5),
        ("kill -9 with 1 GB: in sync again", "l_single", "in_sync_ms", "max", 1 / 3),
        ("kill -9 with 1 GB and 2,000 partitions: in sync again", "l_many", "in_sync_ms", "max", 1 / 6),
    ],
    "combined3": [
        ("exec to first acknowledged record, first boot", "i_combined3", "first_boot_ms", "max", 1 / 4),
        ("exec to first acknowledged record, with data", "i_combined3", "restart_ms", "max", 1 / 4),
        ("unbatched 100 B: rate", "e", "rec_s", "min", 2.0),
        ("unbatched 100 B: broker CPU a record", "e", "broker_cpu_s_per_mrec", "max", 1 / 3),
        ("500 records/s: p50", "d1u", "p50_us", "max", 1.0),
        ("500 records/s: p99", "d1u", "p99_us", "max", 1 / 2),
        ("2,000 records/s: p50", "d2u", "p50_us", "max", 1.0),
        ("2,000 records/s: p99", "d2u", "p99_us", "max", 1 / 2),
        ("batched 1 KiB: rate", "a", "rec_s", "min", 1.0),
        ("batched 1 KiB: broker CPU a record", "a", "broker_cpu_s_per_mrec", "max", 0.7),
        ("batched 100 B: rate", "b", "rec_s", "min", 1.0),
        ("batched 100 B: broker CPU a record", "b", "broker_cpu_s_per_mrec", "max", 0.7),
        ("batched 1 KiB, lz4: rate", "c", "rec_s", "min", 1.0),
        ("batched 1 KiB, lz4: broker CPU a record", "c", "broker_cpu_s_per_mrec", "max", 0.7),
        ("2,000 partitions: idle CPU", "h", "broker_cpu_pct", "max", 1 / 5),
        ("RSS 30 s after the start", "k_combined3", "rss_mb", "max", 1 / 3),
        ("CPU 30 s after the start", "k_combined3", "broker_cpu_pct", "max", 1 / 3),
    ],
}
# the same for figures of ours alone
OWN = {
    "single": [
        ("64 producers, synced before acknowledged, of one sync a record on the same disk", "sync", "per_disk_sync", "min", 20),
    ],
    "combined3": [
        ("leader killed: longest gap, ms", "j_kill", "longest_gap_ms", "max", 2000),
        ("leader killed: acknowledged and missing", "j_kill", "acked_missing", "max", 0),
        ("leader and active controller killed: longest gap, ms", "j_killc", "longest_gap_ms", "max", 3500),
        ("leader and active controller killed: acknowledged and missing", "j_killc", "acked_missing", "max", 0),
        ("leader frozen for 30 s: longest gap, ms (the client's request.timeout.ms)", "j_stop", "longest_gap_ms", "max", 30000),
        ("leader frozen for 30 s: acknowledged and missing", "j_stop", "acked_missing", "max", 0),
        ("2,000 partitions: a record in each, ms", "h", "all_acked_ms", "max", 5000),
    ],
}


def main():
    mode, values = sys.argv[1], {}
    for line in open(sys.argv[2]):
        if line.startswith("{"):
            r = json.loads(line)
            if "error" not in r:
                # a noisy run that was repeated is followed by its repetition: the last line of a pair counts
                values.setdefault((r["label"], r["workload"]), []).append(r)
    failed = 0
    for what, workload, field, kind, limit in RATIOS[mode]:
        ours, theirs = ([r[field] for r in last_of_pairs(values.get((label, workload), [])) if field in r]
                        for label in ("tidemark", "kafka"))
        ratios = [o / t for o, t in zip(ours, theirs) if t]
        if not ratios:
            print(f"FAIL  {what}: not measured")
            failed += 1
            continue
        ratio = statistics.median(ratios)
        ok = ratio <= limit if kind == "max" else ratio >= limit
        failed += not ok
        print("%s  %s: %.2f of Kafka's (bar: %s %.2f); pairs %s; medians %s and %s" % (
            "PASS" if ok else "FAIL", what, ratio, "at most" if kind == "max" else "at least", limit,
            " ".join("%.2f" % x for x in ratios), "%g" % statistics.median(ours), "%g" % statistics.median(theirs)))
    for what, workload, field, kind, limit in OWN[mode]:
        ours, theirs = ([r[field] for r in last_of_pairs(values.get((label, workload), [])) if field in r]
                        for label in ("tidemark", "kafka"))
        if not ours:
            print(f"FAIL  {what}: not measured")
            failed += 1
            continue
        # What must never happen is not a matter of medians.
        figure = max(ours) if limit == 0 else statistics.median(ours)
        ok = figure <= limit if kind == "max" else figure >= limit
        failed += not ok
        print("%s  %s: %g (bar: %s %g); runs %s; Kafka's %s" % (
            "PASS" if ok else "FAIL", what, figure, "at most" if kind == "max" else "at least", limit,
            " ".join("%g" % x for x in ours), "%g" % statistics.median(theirs) if theirs else "not measured"))
    sys.exit(1 if failed else 0)


def last_of_pairs(rows):
    """Drops a noisy line that is followed by its repetition."""
    return [r for i, r in enumerate(rows) if not (r.get("noisy") and i + 1 < len(rows) and follows(r, rows[i + 1]))]


def follows(first, second):
    def s(r):
        h, m, x = map(int, r["at"].split(":"))
        return h * 3600 + m * 60 + x
    return (s(second) - s(first)) % 86400 <= second["took_s"] + 30


main()
