package dev.tidemark.server;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;

/** Reads a server.properties. */
public final class SettingsFile {
  private SettingsFile() {}

  /** The file's settings, sorted by key, with {@code overrides} in place of theirs. */
  public static Map<String, String> read(Path path, Map<String, String> overrides)
      throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw FileFailure.of("read the settings file", path, e);
    } catch (IllegalArgumentException e) {
      throw new IOException("settings file " + path + " is malformed: " + e.getMessage(), e);
    }
    Map<String, String> settings = new LinkedHashMap<>();
    for (String key : new TreeSet<>(properties.stringPropertyNames())) {
      settings.put(key, properties.getProperty(key).strip());
    }
    settings.putAll(overrides);
    return settings;
  }
}
