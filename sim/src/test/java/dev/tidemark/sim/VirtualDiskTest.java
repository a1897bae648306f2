package dev.tidemark.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.env.Directory;
import dev.tidemark.env.Directory.OpenMode;
import dev.tidemark.env.FileSlice;
import dev.tidemark.env.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VirtualDiskTest {
  private static final byte[] PAGES = new byte[3 * 4096];

  static {
    java.util.Arrays.fill(PAGES, (byte) 7);
  }

  private final VirtualDisk disk = new VirtualDisk(1);

  private Directory folder() throws IOException {
    Directory folder = disk.root().directory("f");
    folder.create();
    return folder;
  }

  private static void write(Directory folder, String name, byte[] bytes, boolean sync)
      throws IOException {
    try (LogFile file = folder.open(name, OpenMode.READ_WRITE)) {
      file.write(ByteBuffer.wrap(bytes), 0);
      if (sync) {
        file.sync();
      }
    }
  }

  @Test
  void whatWasNotSyncedStaysWhenTheProcessIsKilled() throws Exception {
    write(folder(), "a", PAGES, false);
    disk.processKill();
    assertThat(folder().readAll("a")).isEqualTo(PAGES);
  }

  @Test
  void whatWasSyncedStaysWhenPowerIsLost() throws Exception {
    for (int seed = 0; seed < 100; seed++) {
      write(folder(), "a", PAGES, true);
      folder().sync();
      disk.powerLoss(seed);
      assertThat(folder().readAll("a")).isEqualTo(PAGES);
    }
  }

  @Test
  void whatWasNotSyncedVanishesTearsOrStaysWhenPowerIsLost() throws Exception {
    Set<String> outcomes = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      VirtualDisk other = new VirtualDisk(seed);
      Directory folder = other.root().directory("f");
      folder.create();
      write(folder, "a", new byte[0], true);
      folder.sync();
      write(folder, "a", PAGES, false);
      other.powerLoss(seed);
      byte[] left = other.root().directory("f").readAll("a");
      int kept = 0;
      for (byte b : left) {
        kept += b == 7 ? 1 : 0;
      }
      outcomes.add(
          kept == PAGES.length
              ? "whole"
              : kept == 0 ? "gone" : kept == left.length ? "cut" : "holes");
    }
    assertThat(outcomes).containsExactlyInAnyOrder("whole", "gone", "cut", "holes");
  }

  @Test
  void unsyncedTruncatesAndNamesMayBeUndone() throws Exception {
    Set<String> outcomes = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      VirtualDisk other = new VirtualDisk(seed);
      Directory folder = other.root().directory("f");
      folder.create();
      write(folder, "a", PAGES, true);
      folder.sync();
      try (LogFile file = folder.open("a", OpenMode.READ_WRITE)) {
        file.truncate(10);
      }
      folder.rename("a", "b");
      other.powerLoss(seed);
      Directory after = other.root().directory("f");
      String name = after.list().get(0);
      outcomes.add(name + (after.size(name) == 10 ? " short" : " long"));
    }
    assertThat(outcomes).containsExactlyInAnyOrder("a short", "a long", "b short", "b long");
  }

  @Test
  void theSameSeedLosesTheSame() throws Exception {
    byte[][] left = new byte[2][];
    for (int i = 0; i < 2; i++) {
      VirtualDisk other = new VirtualDisk(5);
      Directory folder = other.root().directory("f");
      folder.create();
      folder.sync();
      write(folder, "a", PAGES, false);
      folder.sync();
      other.powerLoss(42);
      left[i] = other.root().directory("f").readAll("a");
    }
    assertThat(left[0]).isEqualTo(left[1]);
  }

  @Test
  void filesOfAnEndedProcessAreDead() throws Exception {
    Directory folder = folder();
    LogFile file = folder.open("a", OpenMode.READ_WRITE);
    disk.processKill();
    assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 0))
        .hasMessageContaining("a process that ended");
    assertThatThrownBy(folder::list).isInstanceOf(IOException.class);
  }

  @Test
  void aSliceStaysReadableWhenItsFileIsDeletedAndClosed() throws Exception {
    Directory folder = folder();
    LogFile file = folder.open("a", OpenMode.READ_WRITE);
    file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
    FileSlice slice = file.slice(1, 2);
    file.close();
    folder.delete("a");
    ByteBuffer target = ByteBuffer.allocate(5);
    assertThat(slice.read(target, 0)).isEqualTo(2);
    assertThat(target.get(0)).isEqualTo((byte) 2);
    slice.release();
  }

  @Test
  void whatAFailedSyncDroppedIsSeenButNeverReachesTheDiskUnlessWrittenAgain() throws Exception {
    for (boolean again : new boolean[] {false, true}) {
      VirtualDisk other = new VirtualDisk(1);
      other.faults().failedSyncsDrop(true);
      Directory folder = other.root().directory("f");
      folder.create();
      LogFile file = folder.open("a", OpenMode.READ_WRITE);
      folder.sync();
      file.write(ByteBuffer.wrap(new byte[] {1}), 0);
      file.sync();
      file.write(ByteBuffer.wrap(new byte[] {2}), 1);
      other.faults().failNext(DiskFaults.Change.SYNC, 0);
      assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
      if (again) {
        file.write(ByteBuffer.wrap(new byte[] {2}), 1);
      }
      file.sync();
      assertThat(folder.readAll("a")).containsExactly(1, 2);
      other.powerLoss(7);
      byte[] left = other.root().directory("f").readAll("a");
      assertThat(left).isEqualTo(again ? new byte[] {1, 2} : new byte[] {1});
    }
  }

  @Test
  void failuresAreInjectedWhereAsked() throws Exception {
    Directory folder = folder();
    LogFile file = folder.open("a", OpenMode.READ_WRITE);
    disk.faults().failNext(DiskFaults.Change.SYNC, 1);
    file.sync();
    assertThatThrownBy(file::sync).hasMessageContaining("f/a: SYNC failed");
    file.sync();
    disk.faults().capacityBytes(4);
    file.write(ByteBuffer.allocate(4), 0);
    assertThatThrownBy(() -> file.write(ByteBuffer.allocate(1), 4))
        .hasMessageContaining("no space left");
    assertThat(folder.usableBytes()).isZero();
    disk.faults().powerOffAt(disk.faults().changes());
    assertThatThrownBy(file::sync).isInstanceOf(DiskFaults.PowerWentOff.class);
  }

  @Test
  void anAtomicReplacementIsOldOrNewAtAnyPowerLoss() throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      VirtualDisk other = new VirtualDisk(seed);
      Directory folder = other.root().directory("f");
      folder.create();
      folder.writeAtomically("a", new byte[] {1});
      other.faults().powerOffAt(other.faults().changes() + seed % 6);
      try {
        folder.writeAtomically("a", PAGES);
      } catch (DiskFaults.PowerWentOff e) {
        other.faults().powerOffAt(-1);
      }
      other.powerLoss(seed);
      assertThat(other.root().directory("f").readAll("a"))
          .satisfiesAnyOf(
              bytes -> assertThat(bytes).isEqualTo(PAGES),
              bytes -> assertThat(bytes).isEqualTo(new byte[] {1}));
    }
  }
}
