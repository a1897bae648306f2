/** The packed release as a process, driven by the clients and tools that people have. */
package dev.tidemark.process;
