// signature_fuzz.cc: id, timestamp and signature, a line each, and the body behind them: accepted is only what holds an
// entry that the key itself would write, among the first sixteen, within the window.
#include "core/signature/signature.h"

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/id.h"
#include "core/signature/crypto.h"
#include "core/signature/message.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using signature::Rejection;
using signature::SignedHeaders;
using signature::VerifierKey;

constexpr std::size_t kEntriesMax = 16;
constexpr std::string_view kHmacKey = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kSeed = "fedcba9876543210fedcba9876543210";

struct Keys {
  signature::Ed25519Signer signer{kSeed};
  std::vector<VerifierKey> hmac{{signature::Scheme::hmac_sha256, std::string(kHmacKey), {}}};
  std::vector<VerifierKey> ed25519{{signature::Scheme::ed25519, signer.public_key(), {}}};
};

const Keys& keys() {
  static const Keys kKeys;
  return kKeys;
}

std::string hmac_entry(const SignedHeaders& headers, std::string_view body) {
  const auto tag = signature::Hmac(kHmacKey).tag({headers.id, ".", headers.timestamp, ".", body});
  return "v1," + to_base64(as_text(tag));
}

std::string ed25519_entry(const SignedHeaders& headers, std::string_view body) {
  return "v1a," + to_base64(keys().signer.sign(signature::join_message(headers.id, headers.timestamp, body)));
}

bool is_among_the_first(std::string_view header, std::string_view entry) {
  for (std::size_t n = 0; n < kEntriesMax; ++n) {
    const std::size_t space = header.find(' ');
    if (header.substr(0, space) == entry) return true;
    if (space == std::string_view::npos) return false;
    header.remove_prefix(space + 1);
  }
  return false;
}

std::optional<std::int64_t> seconds_in(std::string_view timestamp) {
  if (timestamp.empty() || timestamp.size() > 12) return std::nullopt;
  std::int64_t seconds = 0;
  for (const char c : timestamp) {
    if (c < '0' || c > '9') return std::nullopt;
    seconds = seconds * 10 + (c - '0');
  }
  return seconds;
}

// `entry` is what the key itself writes.
void check_key(const std::vector<VerifierKey>& key, const std::string& entry, const SignedHeaders& headers,
               std::string_view body, WallTime now) {
  const auto is_accepted = [&](const SignedHeaders& as, std::string_view of) {
    return !signature::verify(key, as, of, now);
  };
  SEMEL_CHECK(is_accepted(headers, body) == is_among_the_first(headers.signature, entry));

  const std::string completed = "v2,x " + entry + " " + std::string(headers.signature);
  const SignedHeaders good{headers.id, headers.timestamp, completed};
  const std::string other_body = std::string(body) + "x";
  const std::string other_id = headers.id == "x" ? "y" : "x";
  SEMEL_CHECK(is_accepted(good, body));
  SEMEL_CHECK(!is_accepted(good, other_body));
  SEMEL_CHECK(!is_accepted({other_id, headers.timestamp, completed}, body));
}

void check_window(const SignedHeaders& headers, std::string_view body, std::int64_t seconds) {
  const std::string entry = hmac_entry(headers, body);
  const SignedHeaders good{headers.id, headers.timestamp, entry};
  for (const std::int64_t age : {-301, -300, 0, 300, 301}) {
    const auto rejection = signature::verify(keys().hmac, good, body, WallTime{(seconds + age) * 1000});
    // Before 1970 whole seconds are cut towards it; no such clock is of interest.
    if (seconds + age < 0) continue;
    SEMEL_CHECK(rejection == (age == -301 || age == 301 ? std::optional(Rejection::timestamp_outside) : std::nullopt));
  }
}

}  // namespace

void signature(std::string_view bytes) {
  std::string_view body = bytes;
  const std::string_view id = take_line(body);
  const std::string_view timestamp = take_line(body);
  const SignedHeaders headers{id, timestamp, take_line(body)};
  const std::optional<std::int64_t> seconds = seconds_in(timestamp);
  const WallTime now{seconds.value_or(0) * 1000};

  SEMEL_CHECK(signature::verify({}, headers, body, now).has_value());
  const auto rejection = signature::verify(keys().hmac, headers, body, now);
  SEMEL_CHECK((rejection == Rejection::id_missing) == !is_valid_id(id));
  if (!is_valid_id(id)) return;
  SEMEL_CHECK((rejection == Rejection::timestamp_malformed) == !seconds);
  if (!seconds) return;
  SEMEL_CHECK((rejection == Rejection::signature_missing) == headers.signature.empty());
  check_key(keys().hmac, hmac_entry(headers, body), headers, body, now);
  // Ed25519 costs a hundred times as much, so where it is not spoken of every eighth input is enough.
  if (headers.signature.contains("v1a,") || chance_of(bytes).below(8) == 0)
    check_key(keys().ed25519, ed25519_entry(headers, body), headers, body, now);
  check_window(headers, body, *seconds);
}

}  // namespace semel::fuzz
