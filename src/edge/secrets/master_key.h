// master_key.h: the one key under which all secrets of a store are sealed: 64 hexadecimal digits in a file.
//
// A store without its key is worth nothing, and a key that everybody can read protects nothing: both are refused at
// start. The key is no part of a backup of the store.
// On a crash: the key is made before the store, so a store never stands without one; a key without a store is used by
//             the next start. A file PATH.XXXXXX may be left beside it and can be deleted.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/random.h"
#include "base/result.h"

namespace semel {

class MasterKey {
 public:
  static constexpr std::size_t kSize = 32;

  explicit MasterKey(const std::array<std::uint8_t, kSize>& bytes) : bytes_(bytes) {}
  MasterKey(const MasterKey&) = default;
  MasterKey& operator=(const MasterKey&) = default;
  ~MasterKey();  // wipes its bytes

  std::span<const std::uint8_t, kSize> bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, kSize> bytes_;
};

struct MasterKeyFile {
  enum class Chosen { by_operator, beside_store };
  std::string path;
  Chosen chosen;
};
enum class StoreAge { fresh, existing };

// Reads the key. When the file is missing, the store is fresh and nobody named another file, a new key is made there
// (mode 0600, complete and fsynced, folder too, before this returns); of two processes that do so at once both get the
// same key. Else Fault::not_found when missing, Fault::forbidden when other users may read or change it,
// Fault::invalid when it holds anything but a key, Fault::unavailable when it cannot be read or written.
// Blocking; at start only.
Result<MasterKey> open_master_key(const MasterKeyFile& file, StoreAge store, Random& random);

}  // namespace semel
