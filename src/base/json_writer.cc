// json_writer.cc: writing JSON for answers, logs and envelopes.
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/json.h"
#include "base/json_scan.h"

namespace semel {
namespace {

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u00";
  out += kDigits[(c >> 4) & 0x0F];
  out += kDigits[c & 0x0F];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    const char* special = find_special_in_json_string(at, end);
    out.append(at, special);
    if (special == end) break;
    append_escape(out, *special);
    at = special + 1;
  }
  out += '"';
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  SEMEL_CHECK(closers_.empty() ? out_.empty() : closers_.back() == ']');
  if (!first_) out_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::object() {
  before_value();
  out_ += '{';
  closers_.push_back('}');
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::array() {
  before_value();
  out_ += '[';
  closers_.push_back(']');
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end() {
  SEMEL_CHECK(!closers_.empty());
  SEMEL_CHECK(!after_key_);
  out_ += closers_.back();
  closers_.pop_back();
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  SEMEL_CHECK(!closers_.empty() && closers_.back() == '}');
  SEMEL_CHECK(!after_key_);
  if (!first_) out_ += ',';
  first_ = false;
  append_json_string(out_, name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool boolean) { return raw(boolean ? "true" : "false"); }

JsonWriter& JsonWriter::value(double number) {
  SEMEL_CHECK(std::isfinite(number));
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  SEMEL_CHECK(error == std::errc{});
  return raw({buffer, static_cast<std::size_t>(end - buffer)});
}

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

std::string JsonWriter::take() {
  SEMEL_CHECK(closers_.empty());
  SEMEL_CHECK(!out_.empty());
  return std::move(out_);
}

}  // namespace semel
