package dev.tidemark.sim;

import dev.tidemark.env.Directory;
import java.util.Map;
import java.util.TreeMap;

/**
 * A disk in memory that lies as a real one may. What was not synced is seen at once, stays when the
 * process is killed, and may vanish, tear at page bounds or be reordered when power is lost. Names
 * in a folder change in order: a power loss forgets the last ones that were not synced. Files and
 * folders opened before a kill or a power loss are dead afterwards.
 */
public final class VirtualDisk {
  private final DiskFaults faults = new DiskFaults();
  private final VirtualFolder root = new VirtualFolder();
  private final SeededRandomness random;
  private int life;
  private int openFiles;
  private int mostOpenFiles;
  private int slicesInUse;
  private int powerLosses;
  private final Map<String, Long> looks = new TreeMap<>();

  /** A disk whose partial writes are drawn from {@code seed}. */
  public VirtualDisk(long seed) {
    this.random = new SeededRandomness(seed);
  }

  /** The top folder, for the life of the process that begins now. */
  public Directory root() {
    return new VirtualDirectory(this, root, "", life);
  }

  public DiskFaults faults() {
    return faults;
  }

  /** The process ends; the kernel still writes everything. */
  public void processKill() {
    life++;
    openFiles = 0;
    slicesInUse = 0;
  }

  /** Power is lost; the seed decides what is left of the unsynced. */
  public void powerLoss(long seed) {
    processKill();
    powerLosses++;
    root.losePower(new PowerLoss(seed));
  }

  /** How often folders whose path begins so were listed, asked or changed. */
  public long looksInto(String pathPrefix) {
    return looks.entrySet().stream()
        .filter(look -> look.getKey().startsWith(pathPrefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  void noteLook(String path) {
    looks.merge(path, 1L, Long::sum);
  }

  /** How often power was lost so far. */
  public int powerLosses() {
    return powerLosses;
  }

  /** How many files are open in this life of the process. */
  public int openFiles() {
    return openFiles;
  }

  /** How many slices of files were handed out in this life of the process and not released. */
  public int slicesInUse() {
    return slicesInUse;
  }

  void sliceTaken() {
    slicesInUse++;
  }

  void sliceReleased(int inLife) {
    if (inLife == life) {
      slicesInUse--;
    }
  }

  /** How many were open at once since this was last asked. */
  public int takeMostOpenFiles() {
    int most = mostOpenFiles;
    mostOpenFiles = openFiles;
    return most;
  }

  void fileOpened() {
    openFiles++;
    mostOpenFiles = Math.max(mostOpenFiles, openFiles);
  }

  void fileClosed(int inLife) {
    if (inLife == life) {
      openFiles--;
    }
  }

  /** Damages the byte at {@code position} of a file, given by its path from the root. */
  public void rot(String path, int position) {
    VirtualFolder folder = root;
    String[] names = path.split("/", -1);
    for (int i = 0; i < names.length - 1; i++) {
      folder = folder.folder(names[i]);
    }
    folder.file(names[names.length - 1]).rot(position);
  }

  int life() {
    return life;
  }

  SeededRandomness random() {
    return random;
  }

  /** What its files hold in all. */
  public long usedBytes() {
    return root.usedBytes();
  }
}
