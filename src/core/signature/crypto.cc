// crypto.cc: OpenSSL 3 behind crypto.h.
#include "core/signature/crypto.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include "base/bytes.h"
#include "base/check.h"

namespace semel::signature {
namespace {

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Digest = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

Key private_key(std::string_view seed) {
  SEMEL_CHECK(seed.size() == kEd25519KeySize);
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, as_bytes(seed).data(), seed.size()), EVP_PKEY_free);
  SEMEL_CHECK(key != nullptr);
  return key;
}

Digest new_digest() {
  Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  SEMEL_CHECK(digest != nullptr);
  return digest;
}

}  // namespace

Hmac::Hmac(std::string_view key) : context_(nullptr, EVP_MAC_CTX_free) {
  const std::unique_ptr<EVP_MAC, void (*)(EVP_MAC*)> mac(EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr),
                                                         EVP_MAC_free);
  SEMEL_CHECK(mac != nullptr);
  context_.reset(EVP_MAC_CTX_new(mac.get()));
  SEMEL_CHECK(context_ != nullptr);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  SEMEL_CHECK(EVP_MAC_init(context_.get(), as_bytes(key).data(), key.size(), parameters) == 1);
}

HmacTag Hmac::tag(std::initializer_list<std::string_view> message_parts) {
  SEMEL_CHECK(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
  for (const std::string_view part : message_parts)
    SEMEL_CHECK(EVP_MAC_update(context_.get(), as_bytes(part).data(), part.size()) == 1);
  HmacTag tag;
  std::size_t size = 0;
  SEMEL_CHECK(EVP_MAC_final(context_.get(), tag.data(), &size, tag.size()) == 1);
  SEMEL_CHECK(size == tag.size());
  return tag;
}

bool tags_equal(const HmacTag& expected, std::string_view given) {
  SEMEL_CHECK(given.size() == kHmacSize);
  return CRYPTO_memcmp(expected.data(), given.data(), kHmacSize) == 0;
}

Ed25519Signer::Ed25519Signer(std::string_view seed) : key_(private_key(seed)) {}

std::string Ed25519Signer::sign(std::string_view message) const {
  const Digest digest = new_digest();
  SEMEL_CHECK(EVP_DigestSignInit(digest.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  std::array<std::uint8_t, kEd25519SignatureSize> signature;
  std::size_t size = signature.size();
  SEMEL_CHECK(EVP_DigestSign(digest.get(), signature.data(), &size, as_bytes(message).data(), message.size()) == 1);
  SEMEL_CHECK(size == signature.size());
  return std::string(as_text(signature));
}

std::string Ed25519Signer::public_key() const {
  std::array<std::uint8_t, kEd25519KeySize> bytes;
  std::size_t size = bytes.size();
  SEMEL_CHECK(EVP_PKEY_get_raw_public_key(key_.get(), bytes.data(), &size) == 1);
  SEMEL_CHECK(size == bytes.size());
  return std::string(as_text(bytes));
}

bool verify_ed25519(std::string_view public_key, std::string_view message, std::string_view signature) {
  if (public_key.size() != kEd25519KeySize || signature.size() != kEd25519SignatureSize) return false;
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, as_bytes(public_key).data(), public_key.size()),
                EVP_PKEY_free);
  if (key == nullptr) return false;
  const Digest digest = new_digest();
  SEMEL_CHECK(EVP_DigestVerifyInit(digest.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  return EVP_DigestVerify(digest.get(), as_bytes(signature).data(), signature.size(), as_bytes(message).data(),
                          message.size()) == 1;
}

}  // namespace semel::signature
