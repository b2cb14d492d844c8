// json.cc: the strict reader.
//
// simdjson gives only the check for valid UTF-8. Its parsers leave to the caller what makes this reader strict
// (duplicate members, number length, a depth refused by name, surrogates in member names) and read from a padded copy,
// while raw() must point into the caller's own bytes; one scan over those bytes does both and needs no copy.
#include "base/json.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/check.h"
#include "base/json_scan.h"

namespace semel {
namespace {

constexpr std::size_t kBytesPerNode = 12;        // about what events have
constexpr std::size_t kReservedNodesMax = 256;   // what a text claims before it is read
constexpr std::size_t kPairwiseMembersMax = 16;  // up to here, comparing all pairs is cheaper than sorting

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto put_tail = [&](int shift) { put(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put_tail(0);
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put_tail(6);
    put_tail(0);
  } else {
    put(0xF0 | (code_point >> 18));
    put_tail(12);
    put_tail(6);
    put_tail(0);
  }
}

}  // namespace

// Reads the text once, without recursion. Each function below returns false after refuse(), and then nothing goes on.
class JsonBuilder {
 public:
  JsonBuilder(std::string_view bytes, const JsonLimits& limits)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()), limits_(limits) {}

  Result<JsonDocument> build() {
    if (!read_document()) return fail(Fault::invalid, std::move(note_));
    return std::move(document_);
  }

 private:
  using Node = JsonDocument::Node;
  using Child = JsonDocument::Child;

  struct Open {
    std::uint32_t node;
    std::size_t first_child;  // in pending_
    const char* begin;
  };

  bool refuse(std::string_view why) {
    note_ = at_ == end_ ? "the JSON text ends too early" : std::string(why);
    note_ += " (byte " + std::to_string(at_ - begin_) + ")";
    return false;
  }
  bool refuse_whole(std::string_view why) {
    note_ = why;
    return false;
  }

  bool read_document() {
    const std::string_view bytes(begin_, static_cast<std::size_t>(end_ - begin_));
    if (bytes.empty()) return refuse_whole("an empty text is not JSON");
    if (bytes.size() > std::numeric_limits<std::uint32_t>::max()) return refuse_whole("the JSON text is over 4 GiB");
    if (bytes.starts_with("\xEF\xBB\xBF")) return refuse_whole("a byte order mark stands before the JSON text");
    if (!simdjson::validate_utf8(bytes)) return refuse_whole("the JSON text is not valid UTF-8");
    reserve(std::min(bytes.size() / kBytesPerNode + 1, kReservedNodesMax));
    skip_space();
    if (!read_value()) return false;
    while (!open_.empty()) {
      skip_space();
      if (!read_next_child_or_close()) return false;
    }
    skip_space();
    return at_ == end_ || refuse("something follows the JSON value");
  }

  void reserve(std::size_t nodes) {
    document_.nodes_.reserve(nodes);
    document_.children_.reserve(nodes);
    pending_.reserve(nodes);
  }

  char peek() const { return at_ == end_ ? '\0' : *at_; }
  bool take(char c) {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  std::uint32_t next_node() const { return static_cast<std::uint32_t>(document_.nodes_.size()); }

  bool read_value() {
    switch (peek()) {
      case '{':
        return open(JsonKind::object);
      case '[':
        return open(JsonKind::array);
      case '"':
        return read_string_value();
      case 't':
        return read_literal("true", JsonKind::boolean);
      case 'f':
        return read_literal("false", JsonKind::boolean);
      case 'n':
        return read_literal("null", JsonKind::null);
      default:
        return read_number();
    }
  }

  bool open(JsonKind kind) {
    if (open_.size() >= static_cast<std::size_t>(limits_.depth_max))
      return refuse("arrays and objects are nested too deeply");
    open_.push_back({next_node(), pending_.size(), at_});
    document_.nodes_.push_back({.kind = kind, .raw = {}, .text = {}});
    ++at_;
    return true;
  }

  bool read_next_child_or_close() {
    const Open& top = open_.back();
    const bool is_object = document_.nodes_[top.node].kind == JsonKind::object;
    if (take(is_object ? '}' : ']')) return close();
    if (pending_.size() != top.first_child) {
      if (!take(',')) return refuse("a comma or the end of the array or object is expected");
      skip_space();
    }
    std::string_view name;
    if (is_object && !read_name(name)) return false;
    pending_.push_back({name, next_node()});
    return read_value();
  }

  bool read_name(std::string_view& name) {
    if (peek() != '"') return refuse("a member name in quotes is expected");
    if (!read_string(name)) return false;
    skip_space();
    if (!take(':')) return refuse("a colon is expected");
    skip_space();
    return true;
  }

  bool close() {
    const Open top = open_.back();
    open_.pop_back();
    Node& node = document_.nodes_[top.node];
    if (node.kind == JsonKind::object && has_duplicate_name(top.first_child)) {
      at_ = top.begin;
      return refuse("a member name comes twice in one object");
    }
    node.raw = node.text = {top.begin, static_cast<std::size_t>(at_ - top.begin)};
    node.children_begin = static_cast<std::uint32_t>(document_.children_.size());
    node.children_count = static_cast<std::uint32_t>(pending_.size() - top.first_child);
    const auto first = pending_.begin() + static_cast<std::ptrdiff_t>(top.first_child);
    document_.children_.insert(document_.children_.end(), first, pending_.end());
    pending_.erase(first, pending_.end());
    return true;
  }

  bool has_duplicate_name(std::size_t first) {
    const std::size_t count = pending_.size() - first;
    if (count <= kPairwiseMembersMax) {
      for (std::size_t i = first; i < pending_.size(); ++i)
        for (std::size_t k = first; k < i; ++k)
          if (pending_[i].name == pending_[k].name) return true;
      return false;
    }
    std::vector<std::string_view> names;
    names.reserve(count);
    for (std::size_t i = first; i < pending_.size(); ++i) names.push_back(pending_[i].name);
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) != names.end();
  }

  void add_scalar(JsonKind kind, std::string_view raw, std::string_view text) {
    document_.nodes_.push_back({.kind = kind, .raw = raw, .text = text});
  }

  bool read_literal(std::string_view literal, JsonKind kind) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (!rest.starts_with(literal)) return refuse("a JSON value is expected");
    add_scalar(kind, rest.substr(0, literal.size()), rest.substr(0, literal.size()));
    at_ += literal.size();
    return true;
  }

  bool read_digits() {
    if (!is_digit(peek())) return refuse("a digit is expected");
    while (is_digit(peek())) ++at_;
    return true;
  }

  bool read_number() {
    const char* begin = at_;
    if (peek() != '-' && !is_digit(peek())) return refuse("a JSON value is expected");
    take('-');
    if (!take('0') && !read_digits()) return false;
    if (is_digit(peek())) return refuse("a number may not begin with 0");
    if (take('.') && !read_digits()) return false;
    if (take('e') || take('E')) {
      if (!take('-')) take('+');
      if (!read_digits()) return false;
    }
    const std::string_view literal(begin, static_cast<std::size_t>(at_ - begin));
    if (literal.size() > limits_.number_length_max) {
      at_ = begin;
      return refuse("a number has too many characters");
    }
    add_scalar(JsonKind::number, literal, literal);
    return true;
  }

  bool read_string_value() {
    const char* begin = at_;
    std::string_view text;
    if (!read_string(text)) return false;
    add_scalar(JsonKind::string, {begin, static_cast<std::size_t>(at_ - begin)}, text);
    return true;
  }

  // At the opening quote. Without escapes `text` is a view of the input, else of a decoded copy in the document.
  bool read_string(std::string_view& text) {
    const char* begin = ++at_;
    at_ = find_special_in_json_string(at_, end_);
    if (peek() == '\\') return read_escaped_string(begin, text);
    text = {begin, static_cast<std::size_t>(at_ - begin)};
    return end_string();
  }

  bool end_string() { return take('"') || refuse("a control character in a string must be escaped"); }

  bool read_escaped_string(const char* begin, std::string_view& text) {
    std::string decoded;
    while (true) {
      decoded.append(begin, at_);
      if (!take('\\')) break;
      if (!read_escape(decoded)) return false;
      begin = at_;
      at_ = find_special_in_json_string(at_, end_);
    }
    text = document_.decoded_.emplace_back(std::move(decoded));
    return end_string();
  }

  bool read_escape(std::string& decoded) {
    const char c = peek();
    if (c == 'u') return read_unicode_escape(decoded);
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t index = at_ == end_ ? std::string_view::npos : kLetters.find(c);
    if (index == std::string_view::npos) return refuse("an unknown escape in a string");
    decoded += kMeanings[index];
    ++at_;
    return true;
  }

  bool read_unicode_escape(std::string& decoded) {
    std::uint32_t code_point = 0;
    if (!read_code_unit(code_point)) return false;
    if (is_low_surrogate(code_point)) return refuse_whole("a string holds a lone surrogate");
    if (is_high_surrogate(code_point)) {
      std::uint32_t low = 0;
      if (!take('\\') || peek() != 'u') return refuse_whole("a string holds a lone surrogate");
      if (!read_code_unit(low)) return false;
      if (!is_low_surrogate(low)) return refuse_whole("a string holds a lone surrogate");
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code_point == 0 && !limits_.escaped_nul_allowed) return refuse_whole("a string holds U+0000");
    append_utf8(decoded, code_point);
    return true;
  }

  // At the `u` of an escape; takes it and its four digits.
  bool read_code_unit(std::uint32_t& unit) {
    ++at_;
    if (end_ - at_ < 4) {
      at_ = end_;
      return refuse("");
    }
    const auto [digits_end, error] = std::from_chars(at_, at_ + 4, unit, 16);
    if (error != std::errc{} || digits_end != at_ + 4) return refuse("four hexadecimal digits are expected");
    at_ += 4;
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  const JsonLimits& limits_;
  JsonDocument document_;
  std::vector<Open> open_;
  std::vector<Child> pending_;  // children of the open arrays and objects, innermost last
  std::string note_;
};

Result<JsonDocument> parse_json(std::string_view bytes, const JsonLimits& limits) {
  return JsonBuilder(bytes, limits).build();
}

JsonKind JsonValue::kind() const { return document_->nodes_[node_].kind; }

std::string_view JsonValue::raw() const { return document_->nodes_[node_].raw; }

std::string_view JsonValue::text() const { return document_->nodes_[node_].text; }

bool JsonValue::boolean() const {
  SEMEL_CHECK(kind() == JsonKind::boolean);
  return raw() == "true";
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (kind() != JsonKind::number) return std::nullopt;
  const std::string_view literal = raw();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), number);
  if (error != std::errc{} || end != literal.data() + literal.size()) return std::nullopt;
  return number;
}

std::size_t JsonValue::size() const { return document_->nodes_[node_].children_count; }

JsonValue JsonValue::at(std::size_t index) const {
  SEMEL_CHECK(index < size());
  return {document_, document_->children_[document_->nodes_[node_].children_begin + index].node};
}

std::string_view JsonValue::name(std::size_t index) const {
  SEMEL_CHECK(kind() == JsonKind::object);
  SEMEL_CHECK(index < size());
  return document_->children_[document_->nodes_[node_].children_begin + index].name;
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  if (kind() != JsonKind::object) return std::nullopt;
  for (std::size_t i = 0; i < size(); ++i)
    if (this->name(i) == name) return at(i);
  return std::nullopt;
}

}  // namespace semel
