package dev.tidemark.cli;

import dev.tidemark.server.BrokerProcess;
import dev.tidemark.server.FormatOptions;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node that is to start.
 *
 * @param settings what its server.properties would say
 * @param format how its empty data folders are formatted; null if they are refused
 */
record NodeStart(Map<String, String> settings, @Nullable FormatOptions format) {
  BrokerProcess start() throws IOException, InterruptedException {
    return BrokerProcess.start(settings, format);
  }
}
