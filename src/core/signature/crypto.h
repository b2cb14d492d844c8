// crypto.h: the two primitives of this folder over OpenSSL: a keyed HMAC-SHA256 and Ed25519 keys.
//
// A refusal of the library here can only mean that it is broken or out of memory: the process stops.
#pragma once

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace semel::signature {

inline constexpr std::size_t kHmacSize = 32;
inline constexpr std::size_t kEd25519KeySize = 32;  // of a seed, and of a public key
inline constexpr std::size_t kEd25519SignatureSize = 64;

using HmacTag = std::array<std::uint8_t, kHmacSize>;

// The key is prepared once; each message re-initialises the context, which halves the cost of a short message.
class Hmac {
 public:
  explicit Hmac(std::string_view key);
  HmacTag tag(std::initializer_list<std::string_view> message_parts);

 private:
  std::unique_ptr<EVP_MAC_CTX, void (*)(EVP_MAC_CTX*)> context_;
};

// Both sizes are known. Compares in constant time; this is the one place where a tag is compared.
bool tags_equal(const HmacTag& expected, std::string_view given);

class Ed25519Signer {
 public:
  explicit Ed25519Signer(std::string_view seed);
  std::string sign(std::string_view message) const;  // 64 bytes
  std::string public_key() const;                    // 32 bytes

 private:
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
};

// False also when the key or the signature is not of its size, or S is not canonical (RFC 8032 section 5.1.7).
bool verify_ed25519(std::string_view public_key, std::string_view message, std::string_view signature);

}  // namespace semel::signature
