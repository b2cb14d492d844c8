// terminal.cc: writing for people.
#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/bytes.h"

namespace semel::cli {

namespace {

constexpr std::size_t kCellMax = 400;

std::string cell_of(const JsonValue& value) {
  if (value.kind() != JsonKind::array) return printable(value.text(), kCellMax);
  std::string joined;
  for (std::size_t i = 0; i < value.size(); ++i) joined += (i == 0 ? "" : ",") + cell_of(value.at(i));
  return joined;
}

std::vector<std::string> cells_of(const JsonValue& row, const std::vector<Column>& columns) {
  std::vector<std::string> cells;
  for (const Column& column : columns) {
    const std::optional<JsonValue> value = row.find(column.member);
    cells.push_back(value ? cell_of(*value) : "-");
  }
  return cells;
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format("{:<{}}  ", cells[i], widths[i]);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

void append_indented(std::string& out, const JsonValue& value, std::size_t level);

void append_children(std::string& out, const JsonValue& value, std::size_t level, bool named) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    out.append(i == 0 ? "\n" : ",\n").append(2 * (level + 1), ' ');
    if (named) {
      append_json_string(out, value.name(i));
      out += ": ";
    }
    append_indented(out, value.at(i), level + 1);
  }
  out.append("\n").append(2 * level, ' ');
}

void append_indented(std::string& out, const JsonValue& value, std::size_t level) {
  const bool object = value.kind() == JsonKind::object;
  if ((!object && value.kind() != JsonKind::array) || value.size() == 0) {
    out += value.raw();
    return;
  }
  out += object ? '{' : '[';
  append_children(out, value, level, object);
  out += object ? '}' : ']';
}

}  // namespace

bool output_is_watched() { return isatty(STDOUT_FILENO) == 1; }
bool errors_are_watched() { return isatty(STDERR_FILENO) == 1; }

std::string table(const JsonValue& rows, const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns) lines.front().emplace_back(column.title);
  for (std::size_t i = 0; i < rows.size(); ++i) lines.push_back(cells_of(rows.at(i), columns));
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const auto& cells : lines)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (const auto& cells : lines) text += line_of(cells, widths);
  return text;
}

std::string indented(const JsonValue& value) {
  std::string out;
  append_indented(out, value, 0);
  return out + "\n";
}

void ProgressLine::show(std::string_view text) {
  if (!watched_) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace semel::cli
