package dev.tidemark.quorum;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What raft said during a poll and nobody may hear before its end, because only then is the log
 * synced on which it rests. Requests and answers leave in an order of their own, for raft walks
 * through sets whose order differs from process to process.
 */
final class RaftOutbox {
  private static final Comparator<Message> ORDER = Comparator.comparingLong(Message::order);

  private final List<Message> requests = new ArrayList<>();
  private final List<Message> answers = new ArrayList<>();
  private final List<Runnable> news = new ArrayList<>();

  private record Message(long order, Runnable leave) {}

  /** A request to a node, which gets one at a time. */
  void request(int nodeId, Runnable leave) {
    requests.add(new Message(nodeId, leave));
  }

  /** The answer to the request with that number in the order of their arrival. */
  void answer(long requestNumber, Runnable leave) {
    answers.add(new Message(requestNumber, leave));
  }

  /** Something for this node, told in the order in which raft says it. */
  void news(Runnable tell) {
    news.add(tell);
  }

  /** The log is synced: all may leave. */
  void release() {
    leave(requests);
    leave(answers);
    List<Runnable> told = List.copyOf(news);
    news.clear();
    told.forEach(Runnable::run);
  }

  private static void leave(List<Message> messages) {
    List<Message> sorted = new ArrayList<>(messages);
    messages.clear();
    sorted.sort(ORDER);
    sorted.forEach(message -> message.leave().run());
  }

  /** The log failed: nothing of it may leave. */
  void drop() {
    requests.clear();
    answers.clear();
    news.clear();
  }
}
