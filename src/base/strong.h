// strong.h: integers that cannot be mixed up. A DeliveryKey is not an EventKey, although both are row numbers.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace semel {

template <class Tag, class Raw = std::int64_t>
struct Strong {
  Raw value{};
  friend constexpr auto operator<=>(Strong, Strong) = default;
};

}  // namespace semel

template <class Tag, class Raw>
struct std::hash<semel::Strong<Tag, Raw>> {
  std::size_t operator()(semel::Strong<Tag, Raw> strong) const noexcept { return std::hash<Raw>{}(strong.value); }
};
