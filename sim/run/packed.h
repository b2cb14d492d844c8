// packed.h: numbers and texts as bytes, for what goes between two processes of one program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace semel::sim {

class Packer {
 public:
  Packer& number(std::uint64_t number);
  Packer& text(std::string_view text);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads in the order in which it was packed; anything else is a broken invariant.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number();
  std::string text();
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace semel::sim
