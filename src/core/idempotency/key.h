// key.h: the Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header-07).
//
// A value that begins with a quote is a structured-field string (RFC 9651 section 3.3.3), else a bare token of visible
// ASCII without quote, comma, semicolon or space; "abc" and abc are the same key. 1 to 255 bytes. We refuse what the
// draft would let us ignore, since ignoring drops the protection in silence: two header lines, lists, parameters,
// empty values and the nil UUID.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace semel::idempotency {

struct IdempotencyKey {
  std::string text;
};

// `values` are all header lines of that name. Fault::invalid with a note fit for the client.
Result<IdempotencyKey> parse_key(const std::vector<std::string_view>& values);

using KeyHash = std::array<std::uint8_t, 32>;  // SHA-256 of the key's text; the key itself is never stored
KeyHash hash_key(const IdempotencyKey& key);

}  // namespace semel::idempotency
