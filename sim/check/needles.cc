// needles.cc: a window as long as the shortest needle moves on by what its last two bytes allow.
#include "sim/check/needles.h"

#include <algorithm>

namespace semel::sim {
namespace {

constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongestShift = 255;

std::size_t block(std::string_view text, std::size_t end) {
  return static_cast<std::size_t>(static_cast<unsigned char>(text[end - 2])) << 8 |
         static_cast<unsigned char>(text[end - 1]);
}

}  // namespace

void Needles::add(std::string needle) {
  if (needle.size() < kShortest || std::ranges::find(needles_, needle) != needles_.end()) return;
  needles_.push_back(std::move(needle));
  prepare();
}

void Needles::prepare() {
  shortest_ = kLongestShift;
  for (const std::string& needle : needles_) shortest_ = std::min(shortest_, needle.size());
  shift_.assign(1u << 16, static_cast<std::uint8_t>(shortest_ - 1));
  for (const std::string& needle : needles_)
    for (std::size_t end = 2; end <= shortest_; ++end) {
      std::uint8_t& shift = shift_[block(needle, end)];
      shift = std::min(shift, static_cast<std::uint8_t>(shortest_ - end));
    }
}

std::optional<std::string_view> Needles::find_in(std::string_view text) const {
  if (needles_.empty()) return std::nullopt;
  for (std::size_t end = shortest_; end <= text.size();) {
    const std::uint8_t shift = shift_[block(text, end)];
    if (shift == 0) {
      const std::string_view rest = text.substr(end - shortest_);
      for (const std::string& needle : needles_)
        if (rest.starts_with(needle)) return needle;
    }
    end += std::max<std::size_t>(1, shift);
  }
  return std::nullopt;
}

}  // namespace semel::sim
