// idempotency_key_fuzz.cc: one header a line. A key that was taken is bounded, and is the same key quoted or bare, with
// space around it or without.
#include "core/idempotency/key.h"

#include <string>
#include <vector>

#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using idempotency::IdempotencyKey;
using idempotency::parse_key;

std::string quoted(std::string_view key) {
  std::string field = "\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') field += '\\';
    field += c;
  }
  return field + "\"";
}

void check_same(const std::string& field, const IdempotencyKey& key) {
  const Result<IdempotencyKey> other = parse_key({field});
  SEMEL_CHECK(other.has_value());
  SEMEL_CHECK(other->text == key.text);
  SEMEL_CHECK(idempotency::hash_key(*other) == idempotency::hash_key(key));
}

}  // namespace

void idempotency_key(std::string_view bytes) {
  std::vector<std::string_view> lines;
  for (std::string_view rest = bytes; !rest.empty();) lines.push_back(take_line(rest));
  const Result<IdempotencyKey> key = parse_key(lines);
  if (!key) {
    SEMEL_CHECK(key.error().fault == Fault::invalid);
    SEMEL_CHECK(is_plain(key.error().note));
    return;
  }
  SEMEL_CHECK(lines.size() == 1);
  SEMEL_CHECK(!key->text.empty() && key->text.size() <= 255 && is_plain(key->text));
  check_same(quoted(key->text), *key);
  check_same(" \t" + quoted(key->text) + "\t ", *key);
  const bool may_be_bare = key->text.find_first_of("\",; ") == std::string::npos;
  if (may_be_bare) check_same(key->text, *key);
  SEMEL_CHECK(!parse_key({lines[0], lines[0]}));
  SEMEL_CHECK(idempotency::hash_key({key->text + "x"}) != idempotency::hash_key(*key));
}

}  // namespace semel::fuzz
