package dev.tidemark.fault;

import dev.tidemark.process.NodeCluster;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What is done to a cluster at a time: a fault, a cut, or a fault while something is cut. */
record Injection(@Nullable Fault fault, @Nullable Cut cut) {
  private static final List<Fault> FAULTS = List.of(Fault.values());

  /** A cut may last longer than a session. */
  private static final int MAX_CUT_MS = 14_000;

  private static final int MAX_CUT_BEFORE_FAULT_MS = 2000;

  /** Each kind once, in another order every time; each cut also with a fault that is drawn. */
  static List<Injection> round(Random random, boolean withCuts) {
    List<Injection> all = new ArrayList<>();
    for (Fault fault : FAULTS) {
      all.add(new Injection(fault, null));
    }
    if (withCuts) {
      for (Cut cut : Cut.values()) {
        all.add(new Injection(null, cut));
        all.add(new Injection(FAULTS.get(random.nextInt(FAULTS.size())), cut));
      }
    }
    Collections.shuffle(all, random);
    return all;
  }

  /** All kinds that count by themselves. */
  static List<String> kinds(boolean withCuts) {
    return round(new Random(0), withCuts).stream().map(Injection::kind).sorted().toList();
  }

  /** How it counts. */
  String kind() {
    if (cut == null) {
      return String.valueOf(fault);
    }
    return "CUT_" + cut + (fault == null ? "" : "_AND_FAULT");
  }

  void run(NodeCluster cluster, String topic, Random random) throws Exception {
    if (cut != null) {
      cut.begin(cluster, random);
      Fault.pause(random, fault == null ? MAX_CUT_MS : MAX_CUT_BEFORE_FAULT_MS);
    }
    if (fault != null) {
      fault.run(cluster, topic, random);
    }
    if (cut != null) {
      cluster.links().heal();
    }
  }
}
