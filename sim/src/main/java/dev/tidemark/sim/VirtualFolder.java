package dev.tidemark.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The entries of a folder as the process sees them, and as they were synced. */
final class VirtualFolder {
  private TreeMap<String, Object> synced = new TreeMap<>();
  private TreeMap<String, Object> entries = new TreeMap<>();
  private final List<Consumer<Map<String, Object>>> unsynced = new ArrayList<>();

  List<String> names() {
    return new ArrayList<>(entries.keySet());
  }

  boolean has(String name) {
    return entries.containsKey(name);
  }

  @Nullable Inode fileIfAny(String name) {
    return entries.get(name) instanceof Inode inode ? inode : null;
  }

  Inode file(String name) {
    Inode inode = fileIfAny(name);
    if (inode == null) {
      throw new IllegalArgumentException("There is no file " + name + " among " + names());
    }
    return inode;
  }

  @Nullable VirtualFolder folderIfAny(String name) {
    return entries.get(name) instanceof VirtualFolder folder ? folder : null;
  }

  VirtualFolder folder(String name) {
    VirtualFolder folder = folderIfAny(name);
    if (folder == null) {
      throw new IllegalArgumentException("There is no folder " + name + " among " + names());
    }
    return folder;
  }

  void put(String name, Object entry) {
    change(map -> map.put(name, entry));
  }

  void remove(String name) {
    change(map -> map.remove(name));
  }

  void rename(String from, String to) {
    Object entry = entries.get(from);
    if (entry == null) {
      throw new IllegalArgumentException("There is no " + from + " among " + names());
    }
    change(
        map -> {
          map.remove(from);
          map.put(to, entry);
        });
  }

  private void change(Consumer<Map<String, Object>> change) {
    change.accept(entries);
    unsynced.add(change);
  }

  void sync() {
    synced = new TreeMap<>(entries);
    unsynced.clear();
  }

  void syncAll() {
    sync();
    for (Object entry : entries.values()) {
      if (entry instanceof Inode inode) {
        inode.sync();
      } else if (entry instanceof VirtualFolder folder) {
        folder.syncAll();
      }
    }
  }

  void losePower(PowerLoss loss) {
    int kept = loss.keptNames(unsynced.size());
    for (Consumer<Map<String, Object>> change : unsynced.subList(0, kept)) {
      change.accept(synced);
    }
    unsynced.clear();
    entries = new TreeMap<>(synced);
    for (Object entry : entries.values()) {
      if (entry instanceof Inode inode) {
        inode.losePower(loss);
      } else if (entry instanceof VirtualFolder folder) {
        folder.losePower(loss);
      }
    }
  }

  long usedBytes() {
    long bytes = 0;
    for (Map.Entry<String, Object> entry : entries.entrySet()) {
      if (entry.getValue() instanceof Inode inode) {
        bytes += inode.size();
      } else if (entry.getValue() instanceof VirtualFolder folder) {
        bytes += folder.usedBytes();
      }
    }
    return bytes;
  }
}
