// fingerprint.h: fp1, which decides whether two requests say the same.
//
// HMAC-SHA-256 under the tenant's fingerprint key over length-prefixed lines: "fp1", then (for events) "event", then
// the canonical form of the event object without its `id`. Canonical form: RFC 8785 order and escapes (members sorted
// by UTF-16 code units, shortest escapes), but numbers by exact decimal value, so that integers above 2^53 stay
// distinct; white space does not count, Unicode is not normalised. Other requests put method, route, path parameters,
// query and selected headers in place of "event" (docs/design/fingerprint.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace semel::idempotency {

using Fingerprint = std::array<std::uint8_t, 32>;
using FingerprintKey = std::array<std::uint8_t, 32>;

// Canonical text of a value; of an object without the top-level members named in `leave_out`.
std::string canonical_json(const JsonValue& value, const std::vector<std::string_view>& leave_out = {});

// The exact-decimal layout of a JSON number literal: equal for equal values (1.0, 1e0 and 1; -0 and 0).
std::string canonical_number(std::string_view literal);

Fingerprint fingerprint_event(const FingerprintKey& key, const JsonValue& event_object);
// A batch's content is the list of its items' fingerprints.
Fingerprint fingerprint_batch(const FingerprintKey& key, const std::vector<Fingerprint>& items);

}  // namespace semel::idempotency
