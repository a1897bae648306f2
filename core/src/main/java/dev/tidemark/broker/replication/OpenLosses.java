package dev.tidemark.broker.replication;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Shard;
import dev.tidemark.log.LogId;
import dev.tidemark.metadata.MetadataView;
import dev.tidemark.replica.ElectionLoss;
import dev.tidemark.replica.LostTailEntry;
import dev.tidemark.replica.LostTailEntry.State;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.Replicas;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The elections that this broker won and of which it is not known yet what they cost. One is
 * settled when the old leader has fetched from here what does not diverge: what it cut off before
 * stands in its own list. Where others lead by now, it is settled once the old leader is in their
 * in-sync replicas.
 *
 * <p>They are kept in one file, which is written in the background soon after each change: an
 * election waits for no disk, and of one in the last moments before a crash nothing is kept. Owned
 * by the data shard.
 */
public final class OpenLosses {
  /** The name of the file: each line is a topic id and an entry. */
  static final String FILE = "tidemark-open-losses";

  /** More are not kept of one partition: the oldest make room. */
  static final int MAX_OF_PARTITION = 10;

  private static final Logger LOG = LoggerFactory.getLogger(OpenLosses.class);
  private static final String QUEUE = "open-losses";
  private static final Comparator<LogId> ORDER =
      Comparator.comparing(LogId::topic)
          .thenComparingInt(LogId::partition)
          .thenComparing(LogId::topicId);

  private final int nodeId;
  private final Shard shard;
  private final MetadataView view;
  private final long intervalMs;
  private final TreeMap<LogId, List<ElectionLoss>> byPartition = new TreeMap<>(ORDER);
  private @Nullable Directory folder;
  private boolean changed;
  private boolean writing;
  private boolean failing;
  private boolean stopped;

  OpenLosses(int nodeId, Shard shard, MetadataView view, long intervalMs) {
    this.nodeId = nodeId;
    this.shard = shard;
    this.view = view;
    this.intervalMs = intervalMs;
  }

  /** From now on they are kept in a file of {@code directory}, and what stands in it is known. */
  public void keepIn(Directory directory) {
    writing = true;
    shard
        .background()
        .run(
            QUEUE,
            () -> directory.exists(FILE) ? directory.readAll(FILE) : new byte[0],
            (file, failure) -> {
              writing = false;
              folder = directory;
              if (file != null) {
                takeIn(file, directory);
              } else {
                LOG.warn("{}/{} cannot be read: {}", directory.path(), FILE, text(failure));
              }
              writeChanges();
            });
    shard.timers().schedule(intervalMs, this::tick);
  }

  private static String text(@Nullable Throwable failure) {
    return String.valueOf(failure == null ? null : failure.getMessage());
  }

  private void takeIn(byte[] file, Directory directory) {
    TreeMap<LogId, List<ElectionLoss>> kept = new TreeMap<>(ORDER);
    for (String line : new String(file, StandardCharsets.UTF_8).split("\n", -1)) {
      int space = line.indexOf(' ');
      if (space < 0) {
        continue;
      }
      try {
        LostTailEntry entry = LostTailEntry.parse(line.substring(space + 1));
        Uuid topicId = Uuid.fromString(line.substring(0, space));
        kept.computeIfAbsent(
                new LogId(entry.topic(), entry.partition(), topicId), id -> new ArrayList<>())
            .add(new ElectionLoss(entry));
      } catch (IllegalArgumentException e) {
        LOG.error("A line of {}/{} is skipped: {}", directory.path(), FILE, e.getMessage());
      }
    }
    kept.forEach(
        (id, losses) -> {
          List<ElectionLoss> known = of(id);
          known.addAll(0, losses); // what was noted meanwhile is newer
          makeRoom(known);
        });
  }

  private static void makeRoom(List<ElectionLoss> known) {
    if (known.size() > MAX_OF_PARTITION) {
      known.subList(0, known.size() - MAX_OF_PARTITION).clear();
    }
  }

  private List<ElectionLoss> of(LogId id) {
    return byPartition.computeIfAbsent(id, key -> new ArrayList<>());
  }

  /** This broker was elected. */
  void note(LogId id, ElectionLoss loss) {
    List<ElectionLoss> known = of(id);
    known.add(loss);
    makeRoom(known);
    if (!changed) {
      changed = true;
      shard.timers().schedule(0, this::writeChanges); // once for all that one event changes
    }
  }

  /** All that are open, by topic and partition, the oldest first. */
  public List<LostTailEntry> all() {
    forgetSettled();
    List<LostTailEntry> entries = new ArrayList<>();
    byPartition.forEach((id, losses) -> losses.forEach(loss -> entries.add(loss.entry(id))));
    return entries;
  }

  /** Forgets one by its entry's name; false when there is none. */
  public boolean drop(String topic, int partition, String name) {
    boolean found = false;
    for (Map.Entry<LogId, List<ElectionLoss>> one : byPartition.entrySet()) {
      LogId id = one.getKey();
      if (id.topic().equals(topic) && id.partition() == partition) {
        found |= one.getValue().removeIf(loss -> loss.entry(id).name().equals(name));
      }
    }
    changed |= found;
    writeChanges();
    return found;
  }

  private void tick() {
    if (!stopped) {
      forgetSettled();
      writeChanges();
      shard.timers().schedule(intervalMs, this::tick);
    }
  }

  private void forgetSettled() {
    for (Map.Entry<LogId, List<ElectionLoss>> one : byPartition.entrySet()) {
      changed |= one.getValue().removeIf(loss -> isSettled(one.getKey(), loss));
    }
    byPartition.values().removeIf(List::isEmpty);
  }

  private boolean isSettled(LogId id, ElectionLoss loss) {
    PartitionRegistration state = view.partition(id.topicId(), id.partition());
    if (state == null || loss.certainty() == State.EXACT) {
      return true;
    }
    boolean othersLead = state.leader != nodeId && state.leaderEpoch > loss.newLeaderEpoch();
    return loss.certainty() == State.UNCONFIRMED
        && othersLead
        && Replicas.contains(state.isr, loss.oldLeaderId());
  }

  private void writeChanges() {
    Directory to = folder;
    if (!changed || writing || stopped || to == null) {
      return;
    }
    changed = false;
    writing = true;
    byte[] file = file();
    shard
        .background()
        .run(
            QUEUE,
            () -> {
              to.writeAtomically(FILE, file);
              return file;
            },
            (done, failure) -> written(failure));
  }

  private byte[] file() {
    StringBuilder lines = new StringBuilder();
    byPartition.forEach(
        (id, losses) ->
            losses.forEach(
                loss ->
                    lines
                        .append(id.topicId())
                        .append(' ')
                        .append(loss.entry(id).toLine())
                        .append('\n')));
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void written(@Nullable Throwable failure) {
    writing = false;
    if (failure != null && !failing) {
      LOG.warn("{} cannot be written, it is tried again: {}", FILE, text(failure));
    }
    failing = failure != null;
    changed |= failing;
    if (!failing) {
      writeChanges();
    }
  }

  void stop() {
    stopped = true;
  }
}
