package dev.tidemark.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Rows under a heading, in columns as wide as what is in them. */
final class TextTable {
  private static final String GAP = "  ";
  private static final String NOTHING = "-";

  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... heading) {
    rows.add(List.of(heading));
  }

  /** A row; what is null is shown as "-". */
  void add(@Nullable Object... cells) {
    List<String> row = new ArrayList<>(cells.length);
    for (Object cell : cells) {
      row.add(cell == null || cell.toString().isEmpty() ? NOTHING : visible(cell.toString()));
    }
    rows.add(row);
  }

  /** What clients wrote must neither break the table nor tell the terminal what to do. */
  private static String visible(String text) {
    if (text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      if (!Character.isISOControl(one)) {
        shown.append(one);
      } else if (one == '\n') {
        shown.append("\\n");
      } else if (one == '\t') {
        shown.append("\\t");
      } else {
        shown.append(String.format(Locale.ROOT, "\\u%04x", (int) one));
      }
    }
    return shown.toString();
  }

  void print() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length())).append(GAP);
      }
      System.out.println(line.toString().stripTrailing());
    }
  }
}
