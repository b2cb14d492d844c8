// seals.cc: HMAC-SHA256 and Ed25519 as EVP has them.
#include "sim/check/seals.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>

#include "base/check.h"

namespace semel::sim {
namespace {

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

struct Free {
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

}  // namespace

std::string base64_decoded(std::string_view text) {
  if (text.size() % 4 != 0) return {};
  std::string decoded(text.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(decoded.data()), bytes(text), static_cast<int>(text.size()));
  if (size < 0) return {};
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  decoded.resize(static_cast<std::size_t>(size) - padding);
  return decoded;
}

struct Seal::Prepared {
  std::unique_ptr<EVP_MAC_CTX, Free> mac;
  std::unique_ptr<EVP_PKEY, Free> ed25519;
};

Seal::Seal(std::string_view secret) : prepared_(std::make_unique<Prepared>()) {
  constexpr std::string_view kSeed = "whsk_";
  key_ = base64_decoded(secret.substr(std::min(secret.size(), secret.find('_') + 1)));
  if (secret.starts_with(kSeed)) {
    prepared_->ed25519.reset(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes(key_), key_.size()));
    SEMEL_CHECK(prepared_->ed25519 != nullptr);
    return;
  }
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
  SEMEL_CHECK(mac != nullptr);
  prepared_->mac.reset(EVP_MAC_CTX_new(mac));
  EVP_MAC_free(mac);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  SEMEL_CHECK(EVP_MAC_init(prepared_->mac.get(), bytes(key_), key_.size(), parameters) == 1);
}
Seal::~Seal() = default;
Seal::Seal(Seal&&) noexcept = default;
Seal& Seal::operator=(Seal&&) noexcept = default;

bool Seal::is_ed25519() const { return prepared_->ed25519 != nullptr; }

bool Seal::verifies(std::string_view entry, std::string_view message) {
  const std::string_view version = is_ed25519() ? "v1a," : "v1,";
  if (!entry.starts_with(version)) return false;
  const std::string given = base64_decoded(entry.substr(version.size()));
  if (is_ed25519()) {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    const bool good = EVP_DigestVerifyInit(context, nullptr, nullptr, nullptr, prepared_->ed25519.get()) == 1 &&
                      EVP_DigestVerify(context, bytes(given), given.size(), bytes(message), message.size()) == 1;
    EVP_MD_CTX_free(context);
    return good;
  }
  std::array<unsigned char, 32> tag{};
  std::size_t size = 0;
  SEMEL_CHECK(EVP_MAC_init(prepared_->mac.get(), nullptr, 0, nullptr) == 1);
  SEMEL_CHECK(EVP_MAC_update(prepared_->mac.get(), bytes(message), message.size()) == 1);
  SEMEL_CHECK(EVP_MAC_final(prepared_->mac.get(), tag.data(), &size, tag.size()) == 1);
  return given == std::string_view(reinterpret_cast<const char*>(tag.data()), size);
}

}  // namespace semel::sim
