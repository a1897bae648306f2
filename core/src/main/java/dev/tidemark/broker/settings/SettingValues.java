package dev.tidemark.broker.settings;

/** The values of settings as they hold somewhere, or at some time. */
@FunctionalInterface
public interface SettingValues {
  /** The value of a setting that has one by default. */
  <T> T get(Setting<T> setting);
}
