// fields.h: header sections (RFC 9112 section 5), read strictly and within a budget.
//
// Decides:  whether bytes are a header section, and how its lines divide into names and values.
// Strict:   every line ends in CRLF; no bare CR or LF, no NUL or other control but HTAB; no folded line, no space
// before
//           the colon, no empty name. What two readers could understand differently is malformed.
// Bounds:   a HeaderBudget is shared by everything of one message that is not its body: interim responses, the head,
//           chunk extensions and trailers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace semel::http {

struct HeaderBudget {
  std::size_t bytes = 32 * 1024;  // start lines and line ends included
  std::size_t lines = 100;        // start lines not included
};

struct Field {
  std::string_view name;
  std::string_view value;  // without the white space around it
};

bool is_token(std::string_view text);        // RFC 9110 section 5.6.2
bool is_control(char c);                     // HTAB is not one
bool is_field_value(std::string_view text);  // RFC 9110 section 5.5, empty included
bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string to_lower(std::string_view text);

// A line without its CRLF; nullopt when it is not `name: value`.
std::optional<Field> parse_field(std::string_view line);

// The value of the only line of that name; nullopt when there is none or more than one.
std::optional<std::string_view> only_value(std::span<const Field> fields, std::string_view name);
std::size_t count_of(std::span<const Field> fields, std::string_view name);
// Whether the comma-separated lists of all lines of that name hold `token`.
bool list_holds(std::span<const Field> fields, std::string_view name, std::string_view token);

// Takes bytes up to the empty line that ends a section.
class SectionReader {
 public:
  enum class Kind { head, trailers };  // a head begins with a start line
  enum class State { reading, complete, malformed, over_budget };

  // `budget` must outlive the reader; what is taken is charged to it.
  SectionReader(Kind kind, HeaderBudget& budget) : kind_(kind), budget_(&budget) {}

  // Returns how many of `bytes` were taken: all of them unless the state is no longer `reading`.
  std::size_t take(std::string_view bytes);
  State state() const { return state_; }

  std::string_view text() const { return text_; }  // as far as taken
  // Of a complete section. The views live as long as this reader is neither moved nor destroyed.
  std::string_view start_line() const;
  std::optional<std::vector<Field>> fields() const;  // nullopt: some line is malformed

 private:
  void step(char c, std::size_t position);
  void end_line(std::size_t position);

  struct Line {
    std::uint32_t begin;
    std::uint32_t length;
  };
  Kind kind_;
  HeaderBudget* budget_;
  State state_ = State::reading;
  bool after_cr_ = false;
  std::size_t line_begin_ = 0;
  std::string text_;
  std::vector<Line> lines_;
};

}  // namespace semel::http
