package dev.tidemark.broker;

import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** Which API is answered by which handler. What stands here is what ApiVersions advertises. */
public final class HandlerRegistry {
  private final Map<ApiKeys, RequestHandler> handlers = new EnumMap<>(ApiKeys.class);
  private final Map<ApiKeys, Short> maxVersions = new EnumMap<>(ApiKeys.class);

  /** Registers a handler for all stable versions of an API. */
  public HandlerRegistry add(ApiKeys api, RequestHandler handler) {
    return add(api, api.latestVersion(false), handler);
  }

  /** Registers a handler for the versions up to {@code maxVersion}. */
  public HandlerRegistry add(ApiKeys api, short maxVersion, RequestHandler handler) {
    if (handlers.put(api, handler) != null) {
      throw new IllegalArgumentException(api + " has a handler already");
    }
    maxVersions.put(api, maxVersion);
    return this;
  }

  /** The handler of an API, or null if this broker does not answer it. */
  public @Nullable RequestHandler handler(ApiKeys api) {
    return handlers.get(api);
  }

  /** True if the API is answered in that version. */
  public boolean answers(ApiKeys api, short version) {
    Short max = maxVersions.get(api);
    return max != null && version >= api.oldestVersion() && version <= max;
  }

  /** What ApiVersions tells, in the order of the API keys. */
  public ApiVersionCollection advertised() {
    ApiVersionCollection all = new ApiVersionCollection(handlers.size());
    for (ApiKeys api : handlers.keySet()) {
      Short max = maxVersions.get(api);
      if (max != null) {
        // Old librdkafka takes a Produce range without version 0 for a broker without batches.
        short min =
            api == ApiKeys.PRODUCE
                ? ApiKeys.PRODUCE_API_VERSIONS_RESPONSE_MIN_VERSION
                : api.oldestVersion();
        all.add(new ApiVersion().setApiKey(api.id).setMinVersion(min).setMaxVersion(max));
      }
    }
    return all;
  }
}
