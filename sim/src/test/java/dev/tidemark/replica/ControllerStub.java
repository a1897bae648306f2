package dev.tidemark.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Errors;

/** A controller of one partition: commits what a test tells it, answers ISR proposals in turn. */
final class ControllerStub implements IsrProposals {
  /** A broker as the metadata knows it. */
  record BrokerState(long epoch, boolean fenced) {}

  /** All that is committed at one moment. */
  record Metadata(CommittedPartition partition, Map<Integer, BrokerState> brokers) {}

  private record Asked(IsrProposal proposal, Reply reply) {}

  private final Map<Integer, BrokerState> brokers = new TreeMap<>();
  private final ArrayDeque<Asked> asked = new ArrayDeque<>();
  private long nextBrokerEpoch = 100;

  CommittedPartition partition;
  boolean holdsProposals;
  int proposals;

  ControllerStub(int leader, List<Integer> replicas) {
    this.partition = new CommittedPartition(leader, 0, 0, replicas, replicas);
    replicas.forEach(this::register);
  }

  Metadata metadata() {
    return new Metadata(partition, new TreeMap<>(brokers));
  }

  BrokerState broker(int id) {
    return brokers.get(id);
  }

  long register(int broker) {
    brokers.put(broker, new BrokerState(nextBrokerEpoch, false));
    return nextBrokerEpoch++;
  }

  void setFenced(int broker, boolean fenced) {
    brokers.put(broker, new BrokerState(brokers.get(broker).epoch(), fenced));
  }

  /** Takes a broker out of the ISR, unless it is the last one in it. */
  void removeFromIsr(int broker) {
    List<Integer> left = new ArrayList<>(partition.isr());
    left.remove(Integer.valueOf(broker));
    if (!left.isEmpty() && left.size() < partition.isr().size()) {
      commit(partition.leaderId(), partition.leaderEpoch(), left);
    }
  }

  void elect(int leader) {
    List<Integer> isr = partition.isr().contains(leader) ? partition.isr() : List.of(leader);
    commit(leader, partition.leaderEpoch() + 1, isr);
  }

  void removeLeader() {
    commit(-1, partition.leaderEpoch() + 1, partition.isr());
  }

  void commit(int leader, int leaderEpoch, List<Integer> isr) {
    partition =
        new CommittedPartition(
            leader, leaderEpoch, partition.partitionEpoch() + 1, partition.replicas(), isr);
  }

  void reassign(List<Integer> replicas) {
    partition =
        new CommittedPartition(
            partition.leaderId(),
            partition.leaderEpoch(),
            partition.partitionEpoch() + 1,
            replicas,
            partition.isr());
  }

  @Override
  public void propose(IsrProposal proposal, Reply reply) {
    proposals++;
    asked.add(new Asked(proposal, reply));
    if (!holdsProposals) {
      answerNext();
    }
  }

  int waiting() {
    return asked.size();
  }

  IsrProposal peek() {
    return asked.getFirst().proposal();
  }

  /** Decides on the oldest proposal and answers. */
  void answerNext() {
    Asked next = asked.removeFirst();
    Errors error = decide(next.proposal());
    next.reply().onReply(error, error == Errors.NONE ? committed() : null);
  }

  /** Decides on the oldest proposal; the answer is another one, as when it is lost. */
  void decideAndAnswer(Errors instead) {
    Asked next = asked.removeFirst();
    decide(next.proposal());
    next.reply().onReply(instead, null);
  }

  /** Answers the oldest proposal without a decision. */
  void refuseNext(Errors error) {
    asked.removeFirst().reply().onReply(error, null);
  }

  private CommittedIsr committed() {
    return new CommittedIsr(partition.leaderEpoch(), partition.partitionEpoch(), partition.isr());
  }

  private Errors decide(IsrProposal proposal) {
    List<Integer> wanted = proposal.isr().stream().map(IsrMember::brokerId).toList();
    if (proposal.leaderEpoch() != partition.leaderEpoch()) {
      return Errors.FENCED_LEADER_EPOCH;
    }
    if (wanted.equals(partition.isr())) {
      return Errors.NONE;
    }
    if (proposal.partitionEpoch() != partition.partitionEpoch()) {
      return Errors.INVALID_UPDATE_VERSION;
    }
    for (IsrMember member : proposal.isr()) {
      BrokerState state = brokers.get(member.brokerId());
      if (state.fenced() || (member.brokerEpoch() != -1 && member.brokerEpoch() != state.epoch())) {
        return Errors.INELIGIBLE_REPLICA;
      }
    }
    commit(partition.leaderId(), partition.leaderEpoch(), wanted);
    return Errors.NONE;
  }
}
