package dev.tidemark.fault;

import dev.tidemark.process.LinkedNetwork;
import dev.tidemark.process.NodeCluster;
import dev.tidemark.process.NodeUnderTest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What is cut between the nodes; clients reach them all the same. */
enum Cut {
  /** Two nodes from each other. */
  TWO {
    @Override
    void cut(LinkedNetwork links, int one, int other) throws IOException {
      links.cut(one, other);
    }
  },
  /** What one node sends does not get to another, while it hears what that one sends. */
  ONE_WAY {
    @Override
    void cut(LinkedNetwork links, int one, int other) throws IOException {
      links.cutOneWay(one, other);
    }
  },
  /** One node from the controllers of the others, and its own one from them. */
  CONTROLLERS {
    @Override
    void cut(LinkedNetwork links, int one, int other) throws IOException {
      links.cutFromControllers(one);
    }
  },
  /** One node from all others. */
  ISOLATED {
    @Override
    void cut(LinkedNetwork links, int one, int other) throws IOException {
      links.isolate(one);
    }
  };

  abstract void cut(LinkedNetwork links, int one, int other) throws IOException;

  /** Cuts links of nodes that are drawn; {@link LinkedNetwork#heal} ends it. */
  void begin(NodeCluster cluster, Random random) throws IOException {
    List<NodeUnderTest> nodes = new ArrayList<>(cluster.nodes());
    Collections.shuffle(nodes, random);
    cut(cluster.links(), nodes.get(0).id(), nodes.get(1).id());
  }
}
