// json.h: strict JSON in, exact bytes kept. Every JSON text that comes from outside passes parse_json, once.
//
// Strict (RFC 8259, and I-JSON RFC 7493 for members and strings): duplicate members, invalid UTF-8, lone surrogates,
// a depth over the limit, a number of more than 1000 characters, a byte order mark or anything behind the value are
// refused. Numbers are kept as their text: nothing passes through a double.
#pragma once

#include <concepts>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace semel {

class JsonDocument;

enum class JsonKind { null, boolean, number, string, array, object };

// A value inside a JsonDocument; valid while the document and the bytes it was parsed from are.
class JsonValue {
 public:
  JsonKind kind() const;
  std::string_view raw() const;   // the value's own bytes, outer white space not included
  std::string_view text() const;  // of a string, decoded; of a number, its literal text; of others raw()
  bool boolean() const;           // of a boolean

  // Of a number: the exact integer, if its literal is an integer without fraction or exponent and fits.
  std::optional<std::int64_t> integer() const;

  std::size_t size() const;                        // members or elements
  JsonValue at(std::size_t index) const;           // of an array, or the value of the index-th member
  std::string_view name(std::size_t index) const;  // of an object, decoded, in the order of the text
  std::optional<JsonValue> find(std::string_view name) const;

 private:
  friend class JsonDocument;
  friend class JsonBuilder;
  JsonValue(const JsonDocument* document, std::uint32_t node) : document_(document), node_(node) {}
  const JsonDocument* document_;
  std::uint32_t node_;
};

struct JsonLimits {
  int depth_max = 64;  // arrays and objects open at once
  std::size_t number_length_max = 1000;
  // Whether a string may contain U+0000 (as \u0000). Control characters must be escaped in any case.
  bool escaped_nul_allowed = true;
};

class JsonDocument {
 public:
  JsonDocument(JsonDocument&&) = default;
  JsonDocument& operator=(JsonDocument&&) = default;

  JsonValue root() const { return JsonValue(this, 0); }

 private:
  friend class JsonValue;
  friend class JsonBuilder;
  JsonDocument() = default;
  struct Node {
    JsonKind kind;
    std::string_view raw;
    std::string_view text;
    std::uint32_t children_begin = 0;  // index into children_
    std::uint32_t children_count = 0;
  };
  struct Child {
    std::string_view name;
    std::uint32_t node;
  };
  std::vector<Node> nodes_;
  std::vector<Child> children_;
  std::list<std::string> decoded_;  // strings that had escapes; they stay where they are
};

// `bytes` must outlive the document. Fault::invalid with the reason and the byte offset where it is known; nothing of
// the input is repeated in the note.
Result<JsonDocument> parse_json(std::string_view bytes, const JsonLimits& limits = {});

// Appends `text` as a JSON string with quotes: escapes ", \ and control characters (\b \t \n \f \r, else \u00xx
// lower-case), everything else as it is. `text` must be valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

// Writes JSON member by member, for answers and logs. Example:
//   JsonWriter w; w.object().member("id", id).member("n", 3).key("list").array().value("x").end().end(); w.take()
class JsonWriter {
 public:
  JsonWriter& object();
  JsonWriter& array();
  JsonWriter& end();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool boolean);
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  JsonWriter& value(T number) {
    return raw(std::to_string(number));
  }
  JsonWriter& value(double number);  // shortest form; finite
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // bytes that are a JSON value already
  template <class T>
  JsonWriter& member(std::string_view name, T&& v) {
    return key(name).value(std::forward<T>(v));
  }
  // Nothing is written for an empty optional.
  template <class T>
  JsonWriter& member_if(std::string_view name, const std::optional<T>& v) {
    return v ? key(name).value(*v) : *this;
  }
  std::string take();  // the text; every object and array must have ended
  const std::string& text() const { return out_; }

 private:
  void before_value();
  std::string out_;
  std::vector<char> closers_;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace semel
