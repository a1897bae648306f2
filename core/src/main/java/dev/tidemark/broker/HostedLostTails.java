package dev.tidemark.broker;

import dev.tidemark.broker.replication.OpenLosses;
import dev.tidemark.broker.request.LogDir;
import dev.tidemark.broker.request.LostTailAccess;
import dev.tidemark.env.Background;
import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.LogFile;
import dev.tidemark.log.LogId;
import dev.tidemark.replica.HostedReplica;
import dev.tidemark.replica.LostTail;
import dev.tidemark.replica.LostTailEntry;
import dev.tidemark.replica.LostTails;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The lost tails on this broker: those of its own logs stand in the partitions' folders, those of
 * others that it took over from in {@link OpenLosses}. Files are read in the background. Owned by
 * the data shard.
 */
final class HostedLostTails implements LostTailAccess {
  /** More are not told in one answer. */
  private static final int MAX_TOLD = 10_000;

  private static final int MAX_READ_BYTES = 1 << 20;
  private static final String QUEUE = "lost-tails";

  private final int nodeId;
  private final Partitions partitions;
  private final Supplier<List<LogDir>> dirs;
  private final @Nullable OpenLosses losses;

  HostedLostTails(
      int nodeId, Partitions partitions, Supplier<List<LogDir>> dirs, @Nullable OpenLosses losses) {
    this.nodeId = nodeId;
    this.partitions = partitions;
    this.dirs = dirs;
    this.losses = losses;
  }

  /** A partition and where it lies. */
  private record Lying(LogId id, Directory folder) {}

  @Override
  public void list(@Nullable String topic, Answer answer) {
    List<LostTailEntry> found = new ArrayList<>();
    List<LogDir> online = dirs.get().stream().filter(LogDir::online).toList();
    int[] left = {online.size()};
    for (LogDir dir : online) {
      List<Lying> lying = lyingIn(dir, topic);
      dir.work()
          .run(
              QUEUE,
              () -> listedIn(lying),
              (entries, failure) -> {
                if (entries != null) {
                  found.addAll(entries);
                }
                if (--left[0] == 0) {
                  answer.onDone(lines(topic, found), null);
                }
              });
    }
    if (online.isEmpty()) {
      answer.onDone(lines(topic, found), null);
    }
  }

  private List<Lying> lyingIn(LogDir dir, @Nullable String topic) {
    List<Lying> lying = new ArrayList<>();
    partitions.forEachReplica(
        replica -> {
          LogId id = replica.log().id();
          if ((topic == null || topic.equals(id.topic())) && dir.holds().test(id)) {
            lying.add(new Lying(id, replica.log().folder()));
          }
        });
    return lying;
  }

  /** In the background. A list that cannot be read is told in the log when it is needed. */
  private List<LostTailEntry> listedIn(List<Lying> lying) {
    List<LostTailEntry> entries = new ArrayList<>();
    for (Lying one : lying) {
      try {
        for (LostTail tail : LostTails.listedIn(one.folder())) {
          entries.add(tail.entry(one.id(), nodeId));
        }
      } catch (IOException e) {
        // Others are told all the same.
      }
    }
    return entries;
  }

  private byte[] lines(@Nullable String topic, List<LostTailEntry> ofThisBroker) {
    List<LostTailEntry> all = new ArrayList<>(ofThisBroker);
    if (losses != null) {
      losses.all().stream()
          .filter(entry -> topic == null || topic.equals(entry.topic()))
          .forEach(all::add);
    }
    all.sort(
        Comparator.comparing(LostTailEntry::topic)
            .thenComparingInt(LostTailEntry::partition)
            .thenComparingLong(LostTailEntry::atMs));
    StringBuilder text = new StringBuilder().append(all.size()).append('\n');
    for (LostTailEntry entry : all.subList(0, Math.min(all.size(), MAX_TOLD))) {
      text.append(entry.toLine()).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void read(Place place, long position, Answer answer) {
    HostedReplica replica = partitions.replica(place.topic(), place.partition());
    if (replica == null) {
      answer.onDone(null, noReplica(place));
      return;
    }
    Directory folder = replica.log().folder();
    workOn(replica.log().id())
        .run(
            QUEUE,
            () -> kept(folder, place, position),
            (bytes, failure) -> {
              if (bytes != null) {
                answer.onDone(bytes, null);
              } else {
                String why = failure == null ? null : failure.getMessage();
                answer.onDone(null, String.valueOf(why));
              }
            });
  }

  private Background workOn(LogId id) {
    for (LogDir dir : dirs.get()) {
      if (dir.holds().test(id)) {
        return dir.work();
      }
    }
    throw new IllegalStateException("No folder holds " + id);
  }

  private byte[] kept(Directory folder, Place place, long position) throws IOException {
    LostTail tail = find(LostTails.listedIn(folder), place);
    if (tail == null) {
      throw new IOException(notListed(place));
    }
    if (tail.removed().keptBytes() == 0) {
      return new byte[0];
    }
    ByteBuffer part = ByteBuffer.allocate(MAX_READ_BYTES);
    try (LogFile file = folder.open(tail.file(), OpenMode.READ)) {
      int read = file.read(part, position);
      return Arrays.copyOf(part.array(), read);
    }
  }

  private static @Nullable LostTail find(List<LostTail> listed, Place place) {
    for (LostTail tail : listed) {
      if (tail.name().equals(place.name())) {
        return tail;
      }
    }
    return null;
  }

  @Override
  public void drop(Place place, Answer answer) {
    if (losses != null && losses.drop(place.topic(), place.partition(), place.name())) {
      answer.onDone(new byte[0], null);
      return;
    }
    HostedReplica replica = partitions.replica(place.topic(), place.partition());
    if (replica == null) {
      answer.onDone(null, noReplica(place));
      return;
    }
    try {
      LostTails tails = replica.lostTails();
      LostTail tail = find(tails.all(), place);
      boolean dropped = tail != null && tails.drop(tail);
      answer.onDone(dropped ? new byte[0] : null, dropped ? null : notListed(place));
    } catch (IOException e) {
      answer.onDone(null, place + " cannot be dropped: " + e.getMessage());
    }
  }

  private String noReplica(Place place) {
    return "broker %d has no replica of %s-%d".formatted(nodeId, place.topic(), place.partition());
  }

  private String notListed(Place place) {
    return "broker %d lists no lost tail %s".formatted(nodeId, place);
  }
}
