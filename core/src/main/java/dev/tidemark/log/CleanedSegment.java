package dev.tidemark.log;

import java.util.List;

/** A segment that was written and synced to take the place of others. */
public final class CleanedSegment {
  private final List<CleaningPlan.Source> sources;
  private final SegmentSummary summary;

  CleanedSegment(List<CleaningPlan.Source> sources, SegmentSummary summary) {
    this.sources = List.copyOf(sources);
    this.summary = summary;
  }

  List<CleaningPlan.Source> sources() {
    return sources;
  }

  SegmentSummary summary() {
    return summary;
  }
}
