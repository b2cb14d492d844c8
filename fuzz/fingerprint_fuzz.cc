// fingerprint_fuzz.cc: two spellings of one content have one fingerprint, and another content has another. Canonical
// text is a fixed point.
#include "core/idempotency/fingerprint.h"

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using idempotency::canonical_json;
using idempotency::fingerprint_event;

constexpr idempotency::FingerprintKey kKey = {7, 7, 7};
constexpr JsonLimits kLimits{.number_length_max = 200};
constexpr JsonLimits kRespelledLimits{.number_length_max = 250};

// Writes a value in another of its many spellings.
class Speller {
 public:
  explicit Speller(Random& random) : random_(random) {}
  // The leaf that is changed, counted in the order of the text.
  Speller(Random& random, std::size_t changed) : random_(random), changed_(changed) {}

  std::string spelled(const JsonValue& root) {
    write(root);
    return std::move(out_);
  }
  std::size_t leaves() const { return leaf_; }

 private:
  bool heads() { return random_.below(2) == 0; }
  void space() {
    for (std::uint64_t n = random_.below(3); n > 0; --n) out_ += " \t\r\n"[random_.below(4)];
  }

  void write(const JsonValue& value) {
    space();
    switch (value.kind()) {
      case JsonKind::array:
        write_array(value);
        break;
      case JsonKind::object:
        write_object(value);
        break;
      case JsonKind::null:
      case JsonKind::boolean:
      case JsonKind::number:
      case JsonKind::string:
        write_leaf(value);
        break;
    }
    space();
  }

  void write_array(const JsonValue& array) {
    out_ += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i != 0) out_ += ',';
      write(array.at(i));
    }
    space();
    out_ += ']';
  }

  // A changed leaf is counted in the order of the text, so then the members keep theirs.
  void write_object(const JsonValue& object) {
    std::vector<std::size_t> order(object.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1 && !changed_; --i) std::swap(order[i - 1], order[random_.below(i)]);
    out_ += '{';
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i != 0) out_ += ',';
      space();
      write_string(object.name(order[i]));
      space();
      out_ += ':';
      write(object.at(order[i]));
    }
    space();
    out_ += '}';
  }

  void write_leaf(const JsonValue& leaf) {
    if (leaf_++ == changed_) {
      write_string(leaf.kind() == JsonKind::string ? std::string(leaf.text()) + "x" : "changed");
    } else if (leaf.kind() == JsonKind::string) {
      write_string(leaf.text());
    } else if (leaf.kind() == JsonKind::number) {
      write_number(leaf.raw());
    } else {
      out_ += leaf.raw();
    }
  }

  void write_number(std::string_view literal) {
    out_ += literal;
    const bool has_exponent = literal.find_first_of("eE") != std::string_view::npos;
    if (has_exponent || heads()) return;
    out_ += literal.contains('.') ? "000" : ".000";
    if (heads()) out_ += heads() ? "e+00" : "E-0";
  }

  void write_string(std::string_view text) {
    out_ += '"';
    for (std::size_t i = 0; i < text.size();) {
      std::size_t length = 1;
      while (i + length < text.size() && (static_cast<unsigned char>(text[i + length]) & 0xC0) == 0x80) ++length;
      write_character(text.substr(i, length));
      i += length;
    }
    out_ += '"';
  }

  void write_character(std::string_view utf8) {
    const auto first = static_cast<unsigned char>(utf8[0]);
    if (heads() && first >= 0x20 && first != '"' && first != '\\') {
      out_ += utf8;
      return;
    }
    char32_t code_point = utf8.size() == 1 ? first : first & (0x7Fu >> utf8.size());
    for (const char c : utf8.substr(1)) code_point = code_point << 6 | (static_cast<unsigned char>(c) & 0x3F);
    if (code_point < 0x10000) {
      write_escape(static_cast<std::uint16_t>(code_point));
    } else {
      write_escape(static_cast<std::uint16_t>(0xD800 + ((code_point - 0x10000) >> 10)));
      write_escape(static_cast<std::uint16_t>(0xDC00 + ((code_point - 0x10000) & 0x3FF)));
    }
  }

  void write_escape(std::uint16_t unit) {
    const char* digits = heads() ? "0123456789abcdef" : "0123456789ABCDEF";
    out_ += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out_ += digits[unit >> shift & 0xF];
  }

  Random& random_;
  std::optional<std::size_t> changed_;
  std::size_t leaf_ = 0;
  std::string out_;
};

std::u16string utf16_of(std::string_view utf8) {
  std::u16string units;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    char32_t code_point = length == 1 ? first : first & (0x7Fu >> length);
    for (const char c : utf8.substr(i + 1, length - 1))
      code_point = code_point << 6 | (static_cast<unsigned char>(c) & 0x3F);
    if (code_point >= 0x10000) units += static_cast<char16_t>(0xD800 + ((code_point - 0x10000) >> 10));
    units += static_cast<char16_t>(code_point >= 0x10000 ? 0xDC00 + (code_point & 0x3FF) : code_point);
    i += length;
  }
  return units;
}

//= RFC 8785 3.2.3: members are sorted by their names as arrays of UTF-16 code units.
void check_order(const JsonValue& value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    check_order(value.at(i));
    if (value.kind() == JsonKind::object && i > 0) SEMEL_CHECK(utf16_of(value.name(i - 1)) < utf16_of(value.name(i)));
  }
}

void check_same(const JsonValue& root, const std::string& text) {
  const Result<JsonDocument> other = parse_json(text, kRespelledLimits);
  SEMEL_CHECK(other.has_value());
  SEMEL_CHECK(canonical_json(other->root()) == canonical_json(root));
  SEMEL_CHECK(fingerprint_event(kKey, other->root()) == fingerprint_event(kKey, root));
}

void check_different(const JsonValue& root, const std::string& text) {
  const Result<JsonDocument> other = parse_json(text, kRespelledLimits);
  SEMEL_CHECK(other.has_value());
  SEMEL_CHECK(canonical_json(other->root()) != canonical_json(root));
  const bool within_id = canonical_json(other->root(), {"id"}) == canonical_json(root, {"id"});
  SEMEL_CHECK((fingerprint_event(kKey, other->root()) == fingerprint_event(kKey, root)) == within_id);
}

}  // namespace

void fingerprint(std::string_view bytes) {
  const Result<JsonDocument> document = parse_json(bytes, kLimits);
  if (!document) return;
  const JsonValue root = document->root();
  SeededRandom random = chance_of(bytes);
  const std::string canonical = canonical_json(root);
  check_same(root, canonical);
  const Result<JsonDocument> in_order = parse_json(canonical, kRespelledLimits);
  check_order(in_order->root());
  Speller speller(random);
  check_same(root, speller.spelled(root));
  if (speller.leaves() > 0) check_different(root, Speller(random, random.below(speller.leaves())).spelled(root));
}

}  // namespace semel::fuzz
