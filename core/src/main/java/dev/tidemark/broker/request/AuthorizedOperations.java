package dev.tidemark.broker.request;

import java.util.List;
import org.apache.kafka.common.acl.AclOperation;

/**
 * What a client may do, as a bit per operation (KIP-430). Without an authorizer everything that
 * exists for the kind of resource is allowed.
 */
final class AuthorizedOperations {
  /** Stands for "was not asked for". */
  static final int NOT_ASKED = Integer.MIN_VALUE;

  private static final int TOPIC =
      bits(
          List.of(
              AclOperation.READ,
              AclOperation.WRITE,
              AclOperation.CREATE,
              AclOperation.DESCRIBE,
              AclOperation.DELETE,
              AclOperation.ALTER,
              AclOperation.DESCRIBE_CONFIGS,
              AclOperation.ALTER_CONFIGS));

  private static final int CLUSTER =
      bits(
          List.of(
              AclOperation.CREATE,
              AclOperation.CLUSTER_ACTION,
              AclOperation.DESCRIBE_CONFIGS,
              AclOperation.ALTER_CONFIGS,
              AclOperation.IDEMPOTENT_WRITE,
              AclOperation.ALTER,
              AclOperation.DESCRIBE));

  private static final int GROUP =
      bits(
          List.of(
              AclOperation.READ,
              AclOperation.DESCRIBE,
              AclOperation.DELETE,
              AclOperation.DESCRIBE_CONFIGS,
              AclOperation.ALTER_CONFIGS));

  private AuthorizedOperations() {}

  static int topic(boolean asked) {
    return asked ? TOPIC : NOT_ASKED;
  }

  static int cluster(boolean asked) {
    return asked ? CLUSTER : NOT_ASKED;
  }

  static int group(boolean asked) {
    return asked ? GROUP : NOT_ASKED;
  }

  private static int bits(List<AclOperation> operations) {
    int bits = 0;
    for (AclOperation operation : operations) {
      bits |= 1 << operation.code();
    }
    return bits;
  }
}
