package dev.tidemark.metadata;

/** What elections ask beyond the metadata. Owned by the control shard. */
record ElectionContext(
    PartitionPolicy policy,
    PartitionIndex index,
    BrokerLiveness liveness,
    LeadershipHandovers handovers,
    FloorChanges floors) {

  MetadataDraft draft(org.apache.kafka.image.MetadataImage image) {
    return new MetadataDraft(image, this);
  }
}
