/**
 * Real nodes under load while their processes are killed, frozen and stopped and their links cut.
 */
package dev.tidemark.fault;
