// seals.h: the signatures of Standard Webhooks made with OpenSSL alone, to be compared with what the server sends.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace semel::sim {

// RFC 4648 section 4, with padding; empty when `text` is no such thing.
std::string base64_decoded(std::string_view text);

// One secret, whsec_.. or whsk_.. .
class Seal {
 public:
  explicit Seal(std::string_view secret);
  ~Seal();
  Seal(Seal&&) noexcept;
  Seal& operator=(Seal&&) noexcept;

  bool is_ed25519() const;
  const std::string& key() const { return key_; }  // its bytes
  // Whether `entry` ("v1,.." or "v1a,..") is the signature of this message.
  bool verifies(std::string_view entry, std::string_view message);

 private:
  struct Prepared;
  std::string key_;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace semel::sim
