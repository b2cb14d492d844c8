// needles.h: looks for many secrets at once in much text, most of which is skipped (Wu and Manber, 1994, with blocks of
// two bytes).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace semel::sim {

class Needles {
 public:
  // Ignored when it is known, or too short to be told from chance.
  void add(std::string needle);
  // The first one that `text` contains.
  std::optional<std::string_view> find_in(std::string_view text) const;

 private:
  void prepare();

  std::vector<std::string> needles_;
  std::size_t shortest_ = 0;
  std::vector<std::uint8_t> shift_;  // by the last two bytes of a window: how far it can move on
};

}  // namespace semel::sim
