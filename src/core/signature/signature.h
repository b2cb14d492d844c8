// signature.h: Standard Webhooks signatures, made and checked over the exact bytes that travel.
//
// Signed bytes: webhook-id "." webhook-timestamp "." body. `v1`: HMAC-SHA256 with a secret of 24 to 64 bytes (whsec_ +
// base64). `v1a`: Ed25519 (RFC 8032) with a 32-byte seed (whsk_ + base64), checked with whpk_ + base64. A key belongs
// to its scheme: no downgrade, unknown versions are passed over. Source: standardwebhooks.com specification 1.0.
// Threads: everything here is a value; calls on different values may run at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace semel::signature {

enum class Scheme : std::uint8_t { hmac_sha256 = 1, ed25519 = 2 };

// A secret as people hold it. Never logged: it has no formatter.
struct Secret {
  Scheme scheme;
  std::string bytes;  // HMAC key, or Ed25519 seed
};

// whsec_.. or whsk_.. ; Fault::invalid when empty, under 24 or over 64 bytes (whsec_), or not 32 (whsk_).
Result<Secret> parse_secret(std::string_view text);
std::string format_secret(const Secret& secret);
Secret make_secret(Scheme scheme, Random& random);  // 32 bytes
std::string public_key(const Secret& ed25519);      // whpk_..

struct KeyWindow {
  std::optional<WallTime> not_after;  // the key neither signs nor verifies at or after this time
};

// Signs with all live keys.
class Signer {
 public:
  struct Key {
    Secret secret;
    KeyWindow window;
  };
  explicit Signer(std::vector<Key> keys);
  ~Signer();
  Signer(Signer&&) noexcept;
  Signer& operator=(Signer&&) noexcept;

  // The value of webhook-signature: "v1,.." entries separated by spaces. `id` must not contain a dot. Empty when no
  // key is live.
  std::string sign(std::string_view id, WallTime now, std::string_view body);

 private:
  struct Prepared;
  std::vector<std::unique_ptr<Prepared>> keys_;
};

// The value of webhook-timestamp: whole seconds.
std::string format_timestamp(WallTime now);

inline constexpr std::int64_t kToleranceSeconds = 300;  // both ways, edges included

struct VerifierKey {
  Scheme scheme;
  std::string bytes;  // HMAC key, or Ed25519 public key
  KeyWindow window;
};
// whsec_.., whsk_.. (its public half is used) or whpk_..
Result<VerifierKey> parse_verifier_key(std::string_view text);

enum class Rejection : std::uint8_t {
  id_missing,           // absent, or not [A-Za-z0-9_-]{1,64}: a dot is never taken
  timestamp_malformed,  // absent, or not 1 to 12 decimal digits
  timestamp_outside,
  signature_missing,
  no_match,
};
const char* name_of(Rejection rejection);

struct SignedHeaders {
  std::string_view id;
  std::string_view timestamp;
  std::string_view signature;
};

// nullopt: accepted. At most 16 signature entries are looked at; compares in constant time.
std::optional<Rejection> verify(const std::vector<VerifierKey>& keys, const SignedHeaders& headers,
                                std::string_view body, WallTime now);

}  // namespace semel::signature
