package dev.tidemark.protocol;

import dev.tidemark.env.FileSlice;
import java.io.IOException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.network.TransferableChannel;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.DefaultRecordsSend;
import org.apache.kafka.common.record.internal.RecordsSend;
import org.apache.kafka.common.record.internal.TransferableRecords;
import org.jspecify.annotations.Nullable;

/**
 * Record batches that stand in a file and are to be sent from there. {@link ResponseEncoder} takes
 * the slice out; Kafka's own way of sending is never used.
 */
public final class FileRecords implements TransferableRecords {
  private final FileSlice slice;

  public FileRecords(FileSlice slice) {
    this.slice = slice;
  }

  FileSlice slice() {
    return slice;
  }

  /** Gives the slice back when the records are not sent after all. */
  public void release() {
    slice.release();
  }

  /** Gives back all file records of a response that is not sent. */
  public static void releaseAll(ApiMessage response) {
    if (response instanceof FetchResponseData fetched) {
      fetched
          .responses()
          .forEach(topic -> topic.partitions().forEach(one -> releaseIfAny(one.records())));
    }
  }

  private static void releaseIfAny(@Nullable BaseRecords records) {
    if (records instanceof FileRecords file) {
      file.release();
    }
  }

  @Override
  public int sizeInBytes() {
    return slice.length();
  }

  @Override
  public RecordsSend<FileRecords> toSend() {
    return new DefaultRecordsSend<>(this);
  }

  @Override
  public int writeTo(TransferableChannel channel, int position, int length) throws IOException {
    throw new IllegalStateException("file records leave by ResponseEncoder only");
  }
}
