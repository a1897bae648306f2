package dev.tidemark.protocol;

import dev.tidemark.env.OutboundFrame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.UnalignedMemoryRecords;

/** Writes a message into one buffer, and notes where file slices stand between its bytes. */
final class FrameWriter implements Writable {
  private final ByteBuffer buffer;
  private final ByteBufferAccessor accessor;
  private final List<OutboundFrame.Part> parts = new ArrayList<>(3);
  private int partStart;

  FrameWriter(ByteBuffer buffer) {
    this.buffer = buffer;
    this.accessor = new ByteBufferAccessor(buffer);
  }

  /** The parts in their order; the writer is spent. */
  List<OutboundFrame.Part> finish() {
    if (buffer.hasRemaining()) {
      throw new IllegalStateException(
          "a response was announced " + buffer.remaining() + " bytes longer than it is");
    }
    cut();
    return parts;
  }

  private void cut() {
    int end = buffer.position();
    if (end > partStart) {
      parts.add(new OutboundFrame.Bytes(buffer.slice(partStart, end - partStart)));
      partStart = end;
    }
  }

  @Override
  public void writeRecords(BaseRecords records) {
    if (records instanceof FileRecords file) {
      cut();
      parts.add(new OutboundFrame.Slice(file.slice()));
    } else if (records instanceof MemoryRecords memory) {
      cut();
      parts.add(new OutboundFrame.Bytes(memory.buffer()));
    } else if (records instanceof UnalignedMemoryRecords memory) {
      cut();
      parts.add(new OutboundFrame.Bytes(memory.buffer()));
    } else {
      throw new IllegalArgumentException("cannot send records of " + records.getClass());
    }
  }

  @Override
  public void writeByte(byte value) {
    accessor.writeByte(value);
  }

  @Override
  public void writeShort(short value) {
    accessor.writeShort(value);
  }

  @Override
  public void writeInt(int value) {
    accessor.writeInt(value);
  }

  @Override
  public void writeLong(long value) {
    accessor.writeLong(value);
  }

  @Override
  public void writeDouble(double value) {
    accessor.writeDouble(value);
  }

  @Override
  public void writeByteArray(byte[] value) {
    accessor.writeByteArray(value);
  }

  @Override
  public void writeUnsignedVarint(int value) {
    accessor.writeUnsignedVarint(value);
  }

  @Override
  public void writeByteBuffer(ByteBuffer value) {
    if (value.hasRemaining()) { // its bytes are not counted: what Kafka calls zero-copy
      cut();
      parts.add(new OutboundFrame.Bytes(value.duplicate()));
    }
  }

  @Override
  public void writeVarint(int value) {
    accessor.writeVarint(value);
  }

  @Override
  public void writeVarlong(long value) {
    accessor.writeVarlong(value);
  }
}
