package dev.tidemark.broker;

import dev.tidemark.broker.settings.HonouredSettings;
import dev.tidemark.broker.settings.SettingValues;
import dev.tidemark.log.CleanerBounds;

/**
 * How this broker compacts.
 *
 * @param enabled log.cleaner.enable
 * @param backoffMs how long nothing is done when there is nothing to do, log.cleaner.backoff.ms
 * @param maxBytesPerSecond read and written, log.cleaner.io.max.bytes.per.second
 * @param bounds for one log
 */
record CleanerSettings(
    boolean enabled, long backoffMs, double maxBytesPerSecond, CleanerBounds bounds) {

  static CleanerSettings of(SettingValues settings) {
    return new CleanerSettings(
        settings.get(HonouredSettings.LOG_CLEANER_ENABLE),
        settings.get(HonouredSettings.LOG_CLEANER_BACKOFF_MS),
        settings.get(HonouredSettings.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND),
        new CleanerBounds(
            Math.max(1024, settings.get(HonouredSettings.LOG_CLEANER_DEDUPE_BUFFER_SIZE)),
            settings.get(HonouredSettings.LOG_CLEANER_IO_BUFFER_LOAD_FACTOR),
            settings.get(HonouredSettings.LOG_CLEANER_IO_BUFFER_SIZE)));
  }
}
