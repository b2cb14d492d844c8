// fingerprint.cc: canonical JSON and the keyed hash over it.
#include "core/idempotency/fingerprint.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "core/idempotency/canonical_number.h"

namespace semel::idempotency {
namespace {

// UTF-16 writes U+10000 and above with units from D800 on, below E000; UTF-8 writes them with bytes F0 to F4, above
// the EE and EF of U+E000 to U+FFFF. Everything else sorts alike, so a weight for the first different byte is enough.
int utf16_weight(char c) {
  const int byte = static_cast<unsigned char>(c);
  if (byte >= 0xF0) return byte - 2;
  if (byte >= 0xEE) return byte + 5;
  return byte;
}

bool utf16_less(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] = std::ranges::mismatch(a, b);
  if (at_b == b.end()) return false;
  if (at_a == a.end()) return true;
  return utf16_weight(*at_a) < utf16_weight(*at_b);
}

using Names = std::vector<std::string_view>;

void append_value(std::string& out, const JsonValue& value, const Names& leave_out);

void append_object(std::string& out, const JsonValue& object, const Names& leave_out) {
  std::vector<std::size_t> order;
  order.reserve(object.size());
  for (std::size_t i = 0; i < object.size(); ++i)
    if (std::ranges::find(leave_out, object.name(i)) == leave_out.end()) order.push_back(i);
  std::ranges::sort(order, utf16_less, [&object](std::size_t i) { return object.name(i); });
  out += '{';
  for (const std::size_t i : order) {
    if (out.back() != '{') out += ',';
    append_json_string(out, object.name(i));
    out += ':';
    append_value(out, object.at(i), {});
  }
  out += '}';
}

void append_array(std::string& out, const JsonValue& array) {
  out += '[';
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i != 0) out += ',';
    append_value(out, array.at(i), {});
  }
  out += ']';
}

// As deep as the document, whose depth parse_json has bounded.
void append_value(std::string& out, const JsonValue& value, const Names& leave_out) {
  switch (value.kind()) {
    case JsonKind::null:
    case JsonKind::boolean:
      out += value.raw();
      return;
    case JsonKind::number:
      append_canonical_number(out, value.raw());
      return;
    case JsonKind::string:
      append_json_string(out, value.text());
      return;
    case JsonKind::array:
      append_array(out, value);
      return;
    case JsonKind::object:
      append_object(out, value, leave_out);
      return;
  }
}

// Eight bytes of length, highest first, then the line: no two lists of lines give the same bytes.
void append_line(std::string& input, std::string_view line) {
  for (int shift = 56; shift >= 0; shift -= 8) input += static_cast<char>(line.size() >> shift & 0xFF);
  input += line;
}

Fingerprint hmac(const FingerprintKey& key, std::string_view input) {
  Fingerprint fingerprint;
  const std::span<const std::uint8_t> bytes = as_bytes(input);
  const unsigned char* written = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(),
                                      bytes.size(), fingerprint.data(), nullptr);
  SEMEL_CHECK(written != nullptr);
  return fingerprint;
}

}  // namespace

std::string canonical_json(const JsonValue& value, const std::vector<std::string_view>& leave_out) {
  std::string out;
  out.reserve(value.raw().size());
  append_value(out, value, leave_out);
  return out;
}

Fingerprint fingerprint_event(const FingerprintKey& key, const JsonValue& event_object) {
  std::string input;
  input.reserve(event_object.raw().size() + 64);
  append_line(input, "fp1");
  append_line(input, "event");
  append_line(input, canonical_json(event_object, {"id"}));
  return hmac(key, input);
}

Fingerprint fingerprint_batch(const FingerprintKey& key, const std::vector<Fingerprint>& items) {
  std::string input;
  append_line(input, "fp1");
  append_line(input, "batch");
  for (const Fingerprint& item : items) append_line(input, as_text(item));
  return hmac(key, input);
}

}  // namespace semel::idempotency
