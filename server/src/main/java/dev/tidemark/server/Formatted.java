package dev.tidemark.server;

import java.util.List;

/**
 * What formatting came to.
 *
 * @param clusterId the cluster the folders belong to
 * @param folders the paths of all data folders
 * @param already none of them had to be formatted
 */
public record Formatted(String clusterId, List<String> folders, boolean already) {}
