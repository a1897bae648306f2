package dev.tidemark.broker.request;

import dev.tidemark.broker.Request;
import dev.tidemark.broker.RequestHandler;
import dev.tidemark.protocol.LostTailField;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * What our own tool asks of the lost tails on this broker, in a tagged field of DescribeLogDirs
 * ({@code list}, {@code list TOPIC}, {@code read TOPIC PARTITION NAME POSITION}) or of
 * AlterReplicaLogDirs ({@code drop TOPIC PARTITION NAME}). Requests without that field are Kafka's.
 */
public final class LostTailHandler implements RequestHandler {
  private static final Pattern LIST = Pattern.compile("list(?: (\\S+))?");
  private static final Pattern READ = Pattern.compile("read (\\S+) (\\d{1,9}) (\\S+) (\\d{1,18})");
  private static final Pattern DROP = Pattern.compile("drop (\\S+) (\\d{1,9}) (\\S+)");

  private final RequestHandler otherwise;
  private final LostTailAccess tails;

  /** {@code otherwise} answers requests without the field. */
  public LostTailHandler(RequestHandler otherwise, LostTailAccess tails) {
    this.otherwise = otherwise;
    this.tails = tails;
  }

  @Override
  public void handle(Request request) {
    String question = LostTailField.questionIn(request.body().data());
    if (question == null) {
      otherwise.handle(request);
      return;
    }
    boolean changes = request.api() == ApiKeys.ALTER_REPLICA_LOG_DIRS;
    ask(
        question,
        changes,
        (content, refusal) -> {
          ApiMessage response =
              changes ? new AlterReplicaLogDirsResponseData() : new DescribeLogDirsResponseData();
          LostTailField.answer(
              response,
              content != null,
              content == null ? String.valueOf(refusal).getBytes(StandardCharsets.UTF_8) : content);
          request.answer(response);
        });
  }

  private void ask(String question, boolean changes, LostTailAccess.Answer answer) {
    Matcher list = LIST.matcher(question);
    Matcher read = READ.matcher(question);
    Matcher drop = DROP.matcher(question);
    if (!changes && list.matches()) {
      @Nullable String topic = list.group(1);
      tails.list(topic, answer);
    } else if (!changes && read.matches()) {
      tails.read(place(read), Long.parseLong(read.group(4)), answer);
    } else if (changes && drop.matches()) {
      tails.drop(place(drop), answer);
    } else {
      answer.onDone(null, "this broker does not understand '" + question + "'");
    }
  }

  private static LostTailAccess.Place place(Matcher words) {
    return new LostTailAccess.Place(
        words.group(1), Integer.parseInt(words.group(2)), words.group(3));
  }
}
