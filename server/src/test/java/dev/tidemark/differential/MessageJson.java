package dev.tidemark.differential;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Kafka's generated messages from and to JSON; fields that are left out have their defaults. */
final class MessageJson {
  private static final ObjectMapper MAPPER = mapper();

  private MessageJson() {}

  static ApiKeys api(String name) {
    for (ApiKeys key : ApiKeys.values()) {
      if (key.name.equals(name) || String.valueOf(key.id).equals(name)) {
        return key;
      }
    }
    throw new IllegalArgumentException("There is no API " + name);
  }

  static JsonNode parse(String text) throws IOException {
    return MAPPER.readTree(text);
  }

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static ArrayNode array(JsonNode... elements) {
    ArrayNode array = MAPPER.createArrayNode();
    for (JsonNode element : elements) {
      if (!element.isMissingNode()) {
        array.add(element);
      }
    }
    return array;
  }

  /** A request's message of relaxed JSON. */
  static ApiMessage request(ApiKeys api, String body) throws IOException {
    return (ApiMessage) MAPPER.readValue(body, api.messageType.newRequest().getClass());
  }

  /** An answer as JSON, with record batches spelled out. */
  static JsonNode response(Message answer, short version) {
    try {
      Class<?> converter = Class.forName(answer.getClass().getName() + "JsonConverter");
      Method write = converter.getMethod("write", answer.getClass(), short.class, boolean.class);
      JsonNode json = (JsonNode) write.invoke(null, answer, version, false);
      if (answer instanceof FetchResponseData fetched) {
        spellOut(fetched, json);
      }
      return json;
    } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException e) {
      throw new IllegalStateException(e);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static void spellOut(FetchResponseData fetched, JsonNode json) {
    for (int topic = 0; topic < fetched.responses().size(); topic++) {
      var partitions = fetched.responses().get(topic).partitions();
      for (int i = 0; i < partitions.size(); i++) {
        ObjectNode partition =
            (ObjectNode) json.at("/responses/%d/partitions/%d".formatted(topic, i));
        partition.remove("recordsSizeInBytes");
        if (partitions.get(i).records() instanceof MemoryRecords records) {
          BatchJson.describe(records, partition.putArray("records"));
        }
      }
    }
  }

  private static ObjectMapper mapper() {
    SimpleModule kafka = new SimpleModule();
    kafka.addDeserializer(Uuid.class, reader(Uuid.class, node -> Uuid.fromString(node.asText())));
    kafka.addDeserializer(byte[].class, reader(byte[].class, node -> bytes(node.asText())));
    kafka.addDeserializer(
        ByteBuffer.class, reader(ByteBuffer.class, node -> ByteBuffer.wrap(bytes(node.asText()))));
    kafka.addDeserializer(BaseRecords.class, reader(BaseRecords.class, BatchJson::records));
    kafka.addDeserializer(MemoryRecords.class, reader(MemoryRecords.class, BatchJson::records));
    return JsonMapper.builder()
        .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES, JsonReadFeature.ALLOW_SINGLE_QUOTES)
        .visibility(PropertyAccessor.GETTER, Visibility.NONE)
        .visibility(PropertyAccessor.FIELD, Visibility.NONE)
        .addModule(kafka)
        .build();
  }

  /** {@code hex:} bytes, a consumer's {@code subscription:} to topics, or the text itself. */
  static byte[] bytes(String text) {
    if (text.startsWith("hex:")) {
      return HexFormat.of().parseHex(text.substring(4).replace(" ", ""));
    }
    if (text.startsWith("subscription:")) {
      List<String> topics = List.of(text.substring("subscription:".length()).split(",", -1));
      Subscription subscription = new Subscription(topics, null, List.of(), -1, Optional.empty());
      ByteBuffer buffer = ConsumerProtocol.serializeSubscription(subscription);
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      return bytes;
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Makes a value of JSON. */
  @FunctionalInterface
  private interface Reading<T> {
    T of(JsonNode node);
  }

  private static <T> StdDeserializer<T> reader(Class<T> type, Reading<T> reading) {
    return new Reader<>(type, reading);
  }

  private static final class Reader<T> extends StdDeserializer<T> {
    private static final long serialVersionUID = 1L;
    private final transient Reading<T> reading;

    Reader(Class<T> type, Reading<T> reading) {
      super(type);
      this.reading = reading;
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      return reading.of(parser.readValueAsTree());
    }
  }
}
