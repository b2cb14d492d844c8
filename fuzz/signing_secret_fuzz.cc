// signing_secret_fuzz.cc: a secret that was taken has a length its scheme allows and one spelling, and no note repeats
// what was refused.
#include <string>

#include "core/signature/signature.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using signature::Scheme;
using signature::Secret;
using signature::VerifierKey;

constexpr std::size_t kRepeatable = 16;  // longer than what the notes say of prefixes

void check_secret(const Secret& secret, std::string_view text) {
  const bool hmac = secret.scheme == Scheme::hmac_sha256;
  SEMEL_CHECK(text.starts_with(hmac ? "whsec_" : "whsk_"));
  SEMEL_CHECK(hmac ? secret.bytes.size() >= 24 && secret.bytes.size() <= 64 : secret.bytes.size() == 32);
  SEMEL_CHECK(secret.bytes.find_first_not_of('\0') != std::string::npos);
  const std::string written = signature::format_secret(secret);
  SEMEL_CHECK(written.starts_with(text));  // which may lack its padding
  SEMEL_CHECK(signature::parse_secret(written).value().bytes == secret.bytes);
}

void check_note(const Error& error, std::string_view text) {
  SEMEL_CHECK(error.fault == Fault::invalid);
  SEMEL_CHECK(is_plain(error.note));
  SEMEL_CHECK(!text.starts_with("wh") || text.size() < kRepeatable || !error.note.contains(text));
}

}  // namespace

void signing_secret(std::string_view bytes) {
  const Result<Secret> secret = signature::parse_secret(bytes);
  const Result<VerifierKey> verifier = signature::parse_verifier_key(bytes);
  if (secret) check_secret(*secret, bytes);
  if (!secret) check_note(secret.error(), bytes);
  if (!verifier) check_note(verifier.error(), bytes);
  SEMEL_CHECK(verifier.has_value() == (secret.has_value() || (bytes.starts_with("whpk_") && verifier.has_value())));
  if (!verifier) return;
  SEMEL_CHECK(!secret || secret->scheme == verifier->scheme);
  SEMEL_CHECK(verifier->scheme != Scheme::ed25519 || verifier->bytes.size() == 32);
  if (secret && secret->scheme == Scheme::ed25519)
    SEMEL_CHECK(signature::parse_verifier_key(signature::public_key(*secret)).value().bytes == verifier->bytes);
}

}  // namespace semel::fuzz
