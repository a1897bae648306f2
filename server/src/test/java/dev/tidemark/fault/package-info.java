/** Real nodes under load while their processes are killed, frozen and stopped. */
package dev.tidemark.fault;
