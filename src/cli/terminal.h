// terminal.h: what a person sees: tables, indented JSON, and a progress line while somebody is watching.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace semel::cli {

// Whether standard output, or standard error, is a terminal.
bool output_is_watched();
bool errors_are_watched();

struct Column {
  std::string_view title;
  std::string_view member;  // of each row: an object
};

// A header line and one line per element of `rows`; strings and numbers as they are, arrays joined by commas, absent
// members as "-". Bytes that are not printable are escaped.
std::string table(const JsonValue& rows, const std::vector<Column>& columns);

// The value with two blanks of indentation per level.
std::string indented(const JsonValue& value);

// One line on standard error that is overwritten; nothing unless a terminal is there.
class ProgressLine {
 public:
  ProgressLine() : watched_(errors_are_watched()) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(std::string_view text);
  void clear();

 private:
  bool watched_;
  bool shown_ = false;
};

}  // namespace semel::cli
