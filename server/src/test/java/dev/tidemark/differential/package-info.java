/** One script of requests against Apache Kafka's own broker and ours, the answers compared. */
package dev.tidemark.differential;
