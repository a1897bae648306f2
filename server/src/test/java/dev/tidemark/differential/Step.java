package dev.tidemark.differential;

import java.util.List;

/**
 * One request of the script and what to do with its answer.
 *
 * @param name unique in the script
 * @param api the name of the API, or its number in a raw request
 * @param version the version of request and answer
 * @param raw whether the body is given as bytes, so that anything can be sent
 * @param body relaxed JSON, with variables as {@code ${name}}
 * @param connection the name of the connection it is sent on
 * @param answer what is waited for
 * @param captures parts of the answer that later requests use
 * @param until what the answer must say; asked again until it does
 */
record Step(
    String name,
    String api,
    short version,
    boolean raw,
    String body,
    String connection,
    Answer answer,
    List<Capture> captures,
    List<Condition> until) {

  /** When the answer is read. */
  enum Answer {
    /** Before the next step. */
    NOW,
    /** Before the next step on the same connection, or at the end. */
    LATER,
    /** Never: there is none. */
    NONE
  }

  /** Keeps the part of the answer at {@code pointer} (RFC 6901) as a variable. */
  record Capture(String variable, String pointer) {}

  /**
   * What has to read {@code value}: the part of the answer at the pointer {@code where}; each field
   * of that name when it begins without a slash; with a colon, the field behind it of the object
   * with the name before it, where nothing stands for no such object.
   */
  record Condition(String where, String value) {}
}
