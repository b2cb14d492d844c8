// sign.cc: the sender's half: one entry per live key.
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "base/check.h"
#include "base/match.h"
#include "core/signature/crypto.h"
#include "core/signature/message.h"
#include "core/signature/signature.h"

namespace semel::signature {

struct Signer::Prepared {
  std::variant<Hmac, Ed25519Signer> key;
  KeyWindow window;
};

namespace {

std::variant<Hmac, Ed25519Signer> prepare(const Secret& secret) {
  if (secret.scheme == Scheme::ed25519) return Ed25519Signer(secret.bytes);
  return Hmac(secret.bytes);
}

std::string entry(std::string_view version, std::string_view signature) {
  return std::string(version) + "," + to_base64(signature);
}

}  // namespace

Signer::Signer(std::vector<Key> keys) {
  for (const Key& key : keys) keys_.push_back(std::make_unique<Prepared>(prepare(key.secret), key.window));
}
Signer::~Signer() = default;
Signer::Signer(Signer&&) noexcept = default;
Signer& Signer::operator=(Signer&&) noexcept = default;

std::string Signer::sign(std::string_view id, WallTime now, std::string_view body) {
  SEMEL_CHECK(!id.contains('.'));
  const std::string timestamp = format_timestamp(now);
  std::string entries;
  for (const auto& prepared : keys_) {
    if (!is_live(prepared->window, now)) continue;
    if (!entries.empty()) entries += ' ';
    entries += match(
        prepared->key,
        [&](Hmac& hmac) { return entry(kHmacVersion, as_text(hmac.tag({id, ".", timestamp, ".", body}))); },
        [&](const Ed25519Signer& key) { return entry(kEd25519Version, key.sign(join_message(id, timestamp, body))); });
  }
  return entries;
}

std::string format_timestamp(WallTime now) { return std::to_string(whole_seconds(now)); }

}  // namespace semel::signature
