package dev.tidemark.differential;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The requests of the script as frames, for whoever wants real ones of every API and version. */
public final class ScriptFrames {
  /** Of a node or its loggers: such configs would change the broker for all others. */
  private static final Pattern NODE_CONFIGS = Pattern.compile("resourceType: [48]\\b");

  private ScriptFrames() {}

  /**
   * All of them but those that alter the node itself, without their length prefix.
   *
   * @param topicId stands where the script has the id of a topic that it learned from an answer
   */
  public static List<byte[]> all(String topicId) throws IOException {
    List<Step> steps = Script.load();
    Map<String, String> variables = variables(steps, topicId);
    List<byte[]> frames = new ArrayList<>();
    for (Step step : steps) {
      if (!step.api().contains("AlterConfigs") || !NODE_CONFIGS.matcher(step.body()).find()) {
        ByteBuffer frame =
            StepFrame.of(step, StepFrame.header(step, 1), filledIn(step.body(), variables));
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        frames.add(bytes);
      }
    }
    return frames;
  }

  private static Map<String, String> variables(List<Step> steps, String topicId) {
    Map<String, String> variables = new HashMap<>();
    for (Step step : steps) {
      for (Step.Capture capture : step.captures()) {
        boolean topic = capture.pointer().endsWith("/topicId");
        variables.put(capture.variable(), topic ? topicId : "1");
      }
    }
    return variables;
  }

  /** The step's body with the values of variables in it. */
  static String filledIn(String body, Map<String, String> variables) {
    String text = body;
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      text = text.replace("${" + variable.getKey() + "}", variable.getValue());
    }
    if (text.contains("${")) {
      throw new IllegalArgumentException("not all variables are known: " + text);
    }
    return text;
  }
}
