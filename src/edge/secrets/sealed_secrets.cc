// sealed_secrets.cc: AES-256-GCM over OpenSSL 3. Sealing cannot fail but for a broken library, which stops the process.
#include "edge/secrets/sealed_secrets.h"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "base/bytes.h"
#include "base/check.h"

namespace semel {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;
constexpr std::size_t kOverhead = 1 + kNonceSize + kTagSize;
constexpr std::size_t kSizeMax = 1u << 20;  // of a plain secret and of a row's text; those of Semel are far smaller

using Context = std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)>;

Context new_context() {
  Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  SEMEL_CHECK(context != nullptr);
  return context;
}

int int_size(std::string_view bytes) {
  SEMEL_CHECK(bytes.size() <= kSizeMax);
  return static_cast<int>(bytes.size());
}

std::uint8_t* writable(std::string& bytes) { return reinterpret_cast<std::uint8_t*>(bytes.data()); }

}  // namespace

std::string SealedSecrets::seal(std::string_view plain, std::string_view row) {
  std::array<std::uint8_t, kNonceSize> nonce;
  random_.fill(nonce);
  const Context context = new_context();
  SEMEL_CHECK(EVP_EncryptInit_ex2(context.get(), EVP_aes_256_gcm(), key_.bytes().data(), nonce.data(), nullptr) == 1);
  int size = 0;
  SEMEL_CHECK(EVP_EncryptUpdate(context.get(), nullptr, &size, as_bytes(row).data(), int_size(row)) == 1);
  std::string ciphertext(plain.size(), '\0');
  SEMEL_CHECK(EVP_EncryptUpdate(context.get(), writable(ciphertext), &size, as_bytes(plain).data(), int_size(plain)) ==
              1);
  std::array<std::uint8_t, kTagSize> tag;
  SEMEL_CHECK(EVP_EncryptFinal_ex(context.get(), tag.data(), &size) == 1);
  SEMEL_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, tag.data()) == 1);
  return kVersion + std::string(as_text(nonce)) + ciphertext + std::string(as_text(tag));
}

Result<std::string> SealedSecrets::unseal(std::string_view sealed, std::string_view row) {
  if (sealed.size() < kOverhead || sealed.size() > kOverhead + kSizeMax || sealed.front() != kVersion)
    return fail(Fault::corrupt, "a sealed secret has a form that is not known");
  const std::string_view nonce = sealed.substr(1, kNonceSize);
  const std::string_view ciphertext = sealed.substr(1 + kNonceSize, sealed.size() - kOverhead);
  std::string tag(sealed.substr(sealed.size() - kTagSize));
  const Context context = new_context();
  SEMEL_CHECK(
      EVP_DecryptInit_ex2(context.get(), EVP_aes_256_gcm(), key_.bytes().data(), as_bytes(nonce).data(), nullptr) == 1);
  SEMEL_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()) == 1);
  int size = 0;
  SEMEL_CHECK(EVP_DecryptUpdate(context.get(), nullptr, &size, as_bytes(row).data(), int_size(row)) == 1);
  std::string plain(ciphertext.size(), '\0');
  SEMEL_CHECK(
      EVP_DecryptUpdate(context.get(), writable(plain), &size, as_bytes(ciphertext).data(), int_size(ciphertext)) == 1);
  std::array<std::uint8_t, kTagSize> rest;
  if (EVP_DecryptFinal_ex(context.get(), rest.data(), &size) != 1)
    return fail(Fault::corrupt, "a sealed secret does not open: another row, another master key, or changed bytes");
  return plain;
}

}  // namespace semel
