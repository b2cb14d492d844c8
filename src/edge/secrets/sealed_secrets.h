// sealed_secrets.h: port/secrets.h with AES-256-GCM under the master key.
//
// Sealed form: one version byte (1), 12 random bytes of nonce, the ciphertext, 16 bytes of tag. The row's text is the
// associated data, so a sealed secret opens only in the row it was sealed for. Random nonces are safe for 2^32 seals
// under one key (NIST SP 800-38D section 8.3).
// Threads:     any; the Random must allow it too.
#pragma once

#include "base/random.h"
#include "edge/secrets/master_key.h"
#include "port/secrets.h"

namespace semel {

class SealedSecrets final : public Secrets {
 public:
  SealedSecrets(const MasterKey& key, Random& random) : key_(key), random_(random) {}

  std::string seal(std::string_view plain, std::string_view row) override;
  Result<std::string> unseal(std::string_view sealed, std::string_view row) override;

 private:
  MasterKey key_;
  Random& random_;
};

}  // namespace semel
