// fields.cc: reading header sections.
#include "http/fields.h"

#include <algorithm>
#include <array>
#include <utility>

namespace semel::http {
namespace {

constexpr std::array<bool, 256> token_characters() {
  std::array<bool, 256> is{};
  for (char c = '0'; c <= '9'; ++c) is[static_cast<unsigned char>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) is[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) is[static_cast<unsigned char>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) is[static_cast<unsigned char>(c)] = true;
  return is;
}
constexpr std::array<bool, 256> kToken = token_characters();

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool list_holds(std::string_view list, std::string_view token) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (equal_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return kToken[static_cast<unsigned char>(c)]; });
}

bool is_field_value(std::string_view text) { return std::ranges::none_of(text, is_control); }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

std::optional<Field> parse_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return std::nullopt;
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_field_value(value)) return std::nullopt;
  return Field{line.substr(0, colon), value};
}

std::size_t count_of(std::span<const Field> fields, std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields, [&](const Field& field) { return equal_ignoring_case(field.name, name); }));
}

std::optional<std::string_view> only_value(std::span<const Field> fields, std::string_view name) {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    if (!equal_ignoring_case(field.name, name)) continue;
    if (found) return std::nullopt;
    found = field.value;
  }
  return found;
}

bool list_holds(std::span<const Field> fields, std::string_view name, std::string_view token) {
  return std::ranges::any_of(fields, [&](const Field& field) {
    return equal_ignoring_case(field.name, name) && list_holds(field.value, token);
  });
}

std::size_t SectionReader::take(std::string_view bytes) {
  const std::size_t before = text_.size();
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ == State::reading) {
    if (budget_->bytes == 0) {
      state_ = State::over_budget;
      break;
    }
    --budget_->bytes;
    step(bytes[taken], before + taken);
    ++taken;
  }
  text_.append(bytes.substr(0, taken));
  return taken;
}

void SectionReader::step(char c, std::size_t position) {
  if (c == '\n') {
    if (!std::exchange(after_cr_, false)) {
      state_ = State::malformed;
      return;
    }
    end_line(position);
  } else if (after_cr_) {
    state_ = State::malformed;
  } else if (c == '\r') {
    after_cr_ = true;
  } else if (is_control(c)) {
    state_ = State::malformed;
  }
}

void SectionReader::end_line(std::size_t position) {
  const std::size_t length = position - 1 - line_begin_;
  const bool start_line = kind_ == Kind::head && lines_.empty();
  if (length == 0) {
    state_ = start_line ? State::malformed : State::complete;
    return;
  }
  if (!start_line) {
    if (budget_->lines == 0) {
      state_ = State::over_budget;
      return;
    }
    --budget_->lines;
  }
  lines_.push_back({static_cast<std::uint32_t>(line_begin_), static_cast<std::uint32_t>(length)});
  line_begin_ = position + 1;
}

std::string_view SectionReader::start_line() const {
  return std::string_view(text_).substr(lines_.front().begin, lines_.front().length);
}

std::optional<std::vector<Field>> SectionReader::fields() const {
  const std::span<const Line> lines = std::span(lines_).subspan(kind_ == Kind::head ? 1 : 0);
  std::vector<Field> fields;
  fields.reserve(lines.size());
  for (const Line& line : lines) {
    const std::optional<Field> field = parse_field(std::string_view(text_).substr(line.begin, line.length));
    if (!field) return std::nullopt;
    fields.push_back(*field);
  }
  return fields;
}

}  // namespace semel::http
