// sealed.h: secrets at rest in a world: unreadable on the disk, readable by who knows the row.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "port/secrets.h"
#include "sim/kernel/draw.h"

namespace semel::sim {

class SimSecrets final : public Secrets {
 public:
  std::string seal(std::string_view plain, std::string_view row) override {
    return to_hex(crossed(plain, row)) + "." + std::to_string(hash_of(row));
  }
  Result<std::string> unseal(std::string_view sealed, std::string_view row) override {
    const std::size_t dot = sealed.find('.');
    if (dot == std::string_view::npos || sealed.substr(dot + 1) != std::to_string(hash_of(row)))
      return fail(Fault::corrupt, "sealed for another row");
    const std::optional<std::string> bytes = from_hex(sealed.substr(0, dot));
    if (!bytes) return fail(Fault::corrupt, "not sealed here");
    return crossed(*bytes, row);
  }

 private:
  static std::string crossed(std::string_view bytes, std::string_view row) {
    Draw pad(hash_of(row), "pad");
    std::string out(bytes);
    for (char& byte : out) byte = static_cast<char>(byte ^ static_cast<char>(pad.next() | 1));
    return out;
  }
};

}  // namespace semel::sim
