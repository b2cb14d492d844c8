// pieces.h: the ways in which bytes come off a wire.
#pragma once

#include <functional>
#include <string_view>

#include "base/check.h"
#include "base/random.h"

namespace semel::fuzz {

using PieceSize = std::function<std::size_t()>;  // of the next piece, at least 1

inline PieceSize at_once() {
  return [] { return std::string_view::npos; };
}
inline PieceSize byte_by_byte() {
  return [] { return 1; };
}
// `random` must outlive it.
inline PieceSize drawn(Random& random) {
  const std::uint64_t max = 1 + random.below(40);
  return [&random, max] { return static_cast<std::size_t>(1 + random.below(max)); };
}

// Returns how many bytes the reader took.
template <class Reader>
std::size_t feed(Reader& reader, std::string_view bytes, const PieceSize& next) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const std::string_view piece = bytes.substr(taken, next());
    const std::size_t n = reader.take(piece);
    SEMEL_CHECK(n <= piece.size());
    taken += n;
    if (n == piece.size()) continue;
    SEMEL_CHECK(reader.state() != Reader::State::reading);
    break;
  }
  return taken;
}

}  // namespace semel::fuzz
