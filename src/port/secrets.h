// secrets.h: secrets at rest. Sealing binds a secret to the row it belongs to, so that sealed rows cannot be swapped.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace semel {

class Secrets {
 public:
  virtual ~Secrets() = default;
  // `row` names tenant, table and row; the same text must be given to unseal.
  virtual std::string seal(std::string_view plain, std::string_view row) = 0;
  // Fault::corrupt: another row, another master key, or changed bytes.
  virtual Result<std::string> unseal(std::string_view sealed, std::string_view row) = 0;
};

}  // namespace semel
