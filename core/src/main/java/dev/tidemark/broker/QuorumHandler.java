package dev.tidemark.broker;

import dev.tidemark.quorum.RaftMetadataLog;

/** What raft answers itself; on the control shard. */
final class QuorumHandler implements RequestHandler {
  private final RaftMetadataLog log;

  QuorumHandler(RaftMetadataLog log) {
    this.log = log;
  }

  @Override
  public void handle(Request request) {
    log.handle(
        request.version(),
        request.body().data(),
        response -> {
          if (!request.isAbandoned()) {
            request.answer(response);
          }
        });
  }
}
