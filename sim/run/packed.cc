// packed.cc: eight bytes a number, a length before each text.
#include "sim/run/packed.h"

#include <cstring>

#include "base/check.h"

namespace semel::sim {

Packer& Packer::number(std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  bytes_.append(bytes, sizeof number);
  return *this;
}

Packer& Packer::text(std::string_view text) {
  number(text.size());
  bytes_.append(text);
  return *this;
}

std::uint64_t Unpacker::number() {
  std::uint64_t number = 0;
  SEMEL_CHECK(bytes_.size() >= sizeof number);
  std::memcpy(&number, bytes_.data(), sizeof number);
  bytes_.remove_prefix(sizeof number);
  return number;
}

std::string Unpacker::text() {
  const std::uint64_t size = number();
  SEMEL_CHECK(bytes_.size() >= size);
  std::string text(bytes_.substr(0, size));
  bytes_.remove_prefix(size);
  return text;
}

}  // namespace semel::sim
