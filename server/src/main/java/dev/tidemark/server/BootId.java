package dev.tidemark.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which run of the kernel this is: it changes when the machine starts anew. */
final class BootId {
  private static final Logger LOG = LoggerFactory.getLogger(BootId.class);
  private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

  private BootId() {}

  /** Empty where the system does not tell; a start after a crash takes longer then. */
  static String read() {
    try {
      return Files.readString(FILE).trim();
    } catch (IOException e) {
      LOG.debug("{} cannot be read", FILE, e);
      return "";
    }
  }
}
