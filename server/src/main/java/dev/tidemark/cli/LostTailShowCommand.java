package dev.tidemark.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tidemark.protocol.StoredRecords;
import dev.tidemark.protocol.StoredRecords.Stored;
import dev.tidemark.protocol.StoredRecords.StoredHeader;
import dev.tidemark.replica.LostTailEntry;
import dev.tidemark.replica.LostTailEntry.State;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tidemark lost-tail show}. */
@Command(name = "show", description = "Prints the records of a lost tail that its broker has kept.")
final class LostTailShowCommand extends AdminCommand {
  @Mixin OutputOptions output = new OutputOptions();

  @Parameters(paramLabel = "LOST-TAIL", description = "Its name in 'lost-tail list'.")
  String name = "";

  @Override
  void refuseMistakes() throws CommandFailure {
    LostTailId unused = LostTailId.parse(name);
  }

  @Override
  void run(Admin admin) throws CommandFailure, InterruptedException {
    LostTailId id = LostTailId.parse(name);
    Node broker = LostTailCalls.broker(admin, id);
    LostTailEntry entry = entry(broker, id);
    if (entry.state() != State.EXACT) {
      throw CommandFailure.failed(
          entry.state() == State.GONE
              ? "nobody has these records: broker "
                  + entry.ofBroker()
                  + " came back without its log"
              : "what broker "
                  + entry.ofBroker()
                  + " had is not known before it comes back; start it, then list again");
    }
    List<Stored> records = StoredRecords.of(LostTailCalls.read(broker, id));
    output.print(
        records.stream().map(LostTailShowCommand::document).toList(), () -> printText(records));
    long notKept = entry.records() - records.size();
    if (notKept > 0) {
      System.err.println(
          "Of "
              + entry.records()
              + " records the last "
              + notKept
              + " are not kept; see tidemark.lost.tail.max.bytes.");
    }
  }

  private static LostTailEntry entry(Node broker, LostTailId id) throws CommandFailure {
    for (LostTailEntry entry : LostTailCalls.list(broker, id.topic()).entries()) {
      if (id.names(entry)) {
        return entry;
      }
    }
    throw CommandFailure.failed(
        "broker "
            + id.broker()
            + " lists no lost tail "
            + id
            + "; 'tidemark lost-tail list' shows those there are");
  }

  private static void printText(List<Stored> records) {
    TextTable table = new TextTable("OFFSET", "EPOCH", "TIMESTAMP", "KEY", "VALUE");
    for (Stored record : records) {
      table.add(
          record.offset(),
          record.leaderEpoch(),
          Instant.ofEpochMilli(record.timestampMs()),
          record.control() ? null : text(record.key()),
          record.control() ? "(end of a transaction)" : text(record.value()));
    }
    table.print();
  }

  private static @Nullable String text(@Nullable ByteBuffer bytes) {
    return bytes == null ? null : UTF_8.decode(bytes.duplicate()).toString();
  }

  private static Map<String, @Nullable Object> document(Stored record) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("offset", record.offset());
    document.put("leaderEpoch", record.leaderEpoch());
    document.put("timestampMs", record.timestampMs());
    document.put("control", record.control());
    putBytes(document, "key", record.key());
    putBytes(document, "value", record.value());
    List<Object> headers = new ArrayList<>();
    for (StoredHeader header : record.headers()) {
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      one.put("key", header.key());
      putBytes(one, "value", header.value());
      headers.add(one);
    }
    document.put("headers", headers);
    return document;
  }

  /** As text; what is none goes under another name, in base 64. */
  private static void putBytes(
      Map<String, @Nullable Object> document, String name, @Nullable ByteBuffer bytes) {
    if (bytes == null) {
      document.put(name, null);
      return;
    }
    try {
      document.put(name, UTF_8.newDecoder().decode(bytes.duplicate()).toString());
    } catch (CharacterCodingException e) {
      document.put(
          name + "Base64", UTF_8.decode(Base64.getEncoder().encode(bytes.duplicate())).toString());
    }
  }
}
