package dev.tidemark.server.http;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;

/** What the process and its JVM use, under the names of Prometheus's clients for Java. */
final class ProcessMetrics {
  private ProcessMetrics() {}

  static void visit(PrometheusText text) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      text.counter("process_cpu_seconds_total", "", system.getProcessCpuTime() / 1e9);
      text.gauge("process_open_fds", "", system.getOpenFileDescriptorCount());
      text.gauge("process_max_fds", "", system.getMaxFileDescriptorCount());
    }
    long startMs = ManagementFactory.getRuntimeMXBean().getStartTime();
    text.gauge("process_start_time_seconds", "", startMs / 1000);
    memory(text, "heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage());
    memory(text, "nonheap", ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage());
    text.gauge("jvm_threads_current", "", ManagementFactory.getThreadMXBean().getThreadCount());
    for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans()) {
      String labels = "gc=\"" + gc.getName() + "\"";
      text.counter("jvm_gc_collection_seconds_count", labels, gc.getCollectionCount());
      text.counter("jvm_gc_collection_seconds_sum", labels, gc.getCollectionTime() / 1000.0);
    }
  }

  private static void memory(PrometheusText text, String area, MemoryUsage usage) {
    String labels = "area=\"" + area + "\"";
    text.gauge("jvm_memory_bytes_used", labels, usage.getUsed());
    text.gauge("jvm_memory_bytes_committed", labels, usage.getCommitted());
    text.gauge("jvm_memory_bytes_max", labels, usage.getMax());
  }
}
