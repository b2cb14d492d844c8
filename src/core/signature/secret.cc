// secret.cc: keys as people hold them: a prefix that names the kind, and base64.
#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "core/signature/crypto.h"
#include "core/signature/signature.h"

namespace semel::signature {
namespace {

constexpr std::string_view kHmacPrefix = "whsec_";
constexpr std::string_view kSeedPrefix = "whsk_";
constexpr std::string_view kPublicPrefix = "whpk_";
constexpr std::size_t kHmacKeyMin = 24;
constexpr std::size_t kHmacKeyMax = 64;

struct Sizes {
  std::size_t min;
  std::size_t max;
};

// The notes name no byte of the key.
Result<std::string> decode_key(std::string_view base64, Sizes sizes) {
  auto bytes = from_base64(base64, Padding::optional);
  if (!bytes) return fail(Fault::invalid, "a key is base64 after its prefix");
  if (bytes->size() < sizes.min) return fail(Fault::invalid, "the key is too short");
  if (bytes->size() > sizes.max) return fail(Fault::invalid, "the key is too long");
  if (std::ranges::all_of(*bytes, [](char c) { return c == '\0'; }))
    return fail(Fault::invalid, "the key consists of zeros: it was never drawn");
  return *std::move(bytes);
}

}  // namespace

Result<Secret> parse_secret(std::string_view text) {
  if (text.starts_with(kHmacPrefix)) {
    SEMEL_TRY(bytes, decode_key(text.substr(kHmacPrefix.size()), {kHmacKeyMin, kHmacKeyMax}));
    return Secret{Scheme::hmac_sha256, std::move(bytes)};
  }
  if (text.starts_with(kSeedPrefix)) {
    SEMEL_TRY(bytes, decode_key(text.substr(kSeedPrefix.size()), {kEd25519KeySize, kEd25519KeySize}));
    return Secret{Scheme::ed25519, std::move(bytes)};
  }
  return fail(Fault::invalid, "a signing secret begins with whsec_ or whsk_");
}

std::string format_secret(const Secret& secret) {
  const std::string_view prefix = secret.scheme == Scheme::ed25519 ? kSeedPrefix : kHmacPrefix;
  return std::string(prefix) + to_base64(secret.bytes);
}

Secret make_secret(Scheme scheme, Random& random) {
  std::array<std::uint8_t, 32> bytes;
  random.fill(bytes);
  return {scheme, std::string(as_text(bytes))};
}

std::string public_key(const Secret& ed25519) {
  return std::string(kPublicPrefix) + to_base64(Ed25519Signer(ed25519.bytes).public_key());
}

Result<VerifierKey> parse_verifier_key(std::string_view text) {
  if (text.starts_with(kPublicPrefix)) {
    SEMEL_TRY(bytes, decode_key(text.substr(kPublicPrefix.size()), {kEd25519KeySize, kEd25519KeySize}));
    return VerifierKey{Scheme::ed25519, std::move(bytes), {}};
  }
  SEMEL_TRY(secret, parse_secret(text));
  if (secret.scheme == Scheme::hmac_sha256) return VerifierKey{secret.scheme, std::move(secret.bytes), {}};
  return VerifierKey{Scheme::ed25519, Ed25519Signer(secret.bytes).public_key(), {}};
}

}  // namespace semel::signature
