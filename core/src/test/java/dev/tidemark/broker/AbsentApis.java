package dev.tidemark.broker;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;

/** Why an API of Kafka's client is not answered; docs/compatibility.md says so. */
final class AbsentApis {
  private static final Map<String, List<ApiKeys>> REASONS = reasons();

  private AbsentApis() {}

  /** The APIs without an answer, by reason. Each must have one. */
  static Map<String, List<String>> byReason(List<ApiKeys> absent) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    REASONS.forEach(
        (reason, apis) -> {
          List<String> names = apis.stream().filter(absent::contains).map(api -> api.name).toList();
          if (!names.isEmpty()) {
            all.put(reason, names);
          }
        });
    for (ApiKeys api : absent) {
      if (REASONS.values().stream().noneMatch(apis -> apis.contains(api))) {
        throw new AssertionError(api.name + " is not answered, and no reason is given");
      }
    }
    return all;
  }

  private static Map<String, List<ApiKeys>> reasons() {
    Map<String, List<ApiKeys>> all = new LinkedHashMap<>();
    all.put(
        "come with transactions",
        List.of(
            ApiKeys.ADD_PARTITIONS_TO_TXN,
            ApiKeys.ADD_OFFSETS_TO_TXN,
            ApiKeys.END_TXN,
            ApiKeys.WRITE_TXN_MARKERS,
            ApiKeys.TXN_OFFSET_COMMIT,
            ApiKeys.DESCRIBE_TRANSACTIONS,
            ApiKeys.LIST_TRANSACTIONS));
    all.put(
        "come with logins, rights and quotas",
        List.of(
            ApiKeys.SASL_HANDSHAKE,
            ApiKeys.SASL_AUTHENTICATE,
            ApiKeys.DESCRIBE_ACLS,
            ApiKeys.CREATE_ACLS,
            ApiKeys.DELETE_ACLS,
            ApiKeys.CREATE_DELEGATION_TOKEN,
            ApiKeys.RENEW_DELEGATION_TOKEN,
            ApiKeys.EXPIRE_DELEGATION_TOKEN,
            ApiKeys.DESCRIBE_DELEGATION_TOKEN,
            ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS,
            ApiKeys.ALTER_USER_SCRAM_CREDENTIALS,
            ApiKeys.DESCRIBE_CLIENT_QUOTAS,
            ApiKeys.ALTER_CLIENT_QUOTAS));
    all.put(
        "come with nodes that join and leave a cluster for good",
        List.of(ApiKeys.UNREGISTER_CONTROLLER, ApiKeys.ADD_RAFT_VOTER, ApiKeys.REMOVE_RAFT_VOTER));
    all.put(
        "belong to a plugin that collects clients' metrics; Kafka does not list them without one",
        List.of(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY));
    all.put(
        "belong to share groups, which are not there",
        List.of(
            ApiKeys.SHARE_GROUP_HEARTBEAT,
            ApiKeys.SHARE_GROUP_DESCRIBE,
            ApiKeys.SHARE_FETCH,
            ApiKeys.SHARE_ACKNOWLEDGE,
            ApiKeys.INITIALIZE_SHARE_GROUP_STATE,
            ApiKeys.READ_SHARE_GROUP_STATE,
            ApiKeys.WRITE_SHARE_GROUP_STATE,
            ApiKeys.DELETE_SHARE_GROUP_STATE,
            ApiKeys.READ_SHARE_GROUP_STATE_SUMMARY,
            ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS,
            ApiKeys.ALTER_SHARE_GROUP_OFFSETS,
            ApiKeys.DELETE_SHARE_GROUP_OFFSETS));
    all.put(
        "belong to Streams groups, which are not there; Kafka Streams uses classic groups",
        List.of(
            ApiKeys.STREAMS_GROUP_HEARTBEAT,
            ApiKeys.STREAMS_GROUP_DESCRIBE,
            ApiKeys.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE));
    return all;
  }
}
