// planted.h: the faults that one extra build has in it (base/planted.h): what each breaks, in which worlds it can show
// itself, and which checker is expected to say so. A simulator that misses one of them is not to be believed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/planted.h"

namespace semel::sim {

// Whose worlds can show it. What is planted in edge/sqlite alone needs that store; the store in memory has some of its
// faults under the same names.
enum class StoreNeeded : std::uint8_t { any, sqlite };

struct PlantedFault {
  Planted fault;
  std::string_view name;    // of the enumerator
  std::string_view breaks;  // one sentence
  StoreNeeded store;
  std::string_view invariant;  // whose checker is expected to catch it; another one may be the first
};

// In the order of the enumeration.
std::span<const PlantedFault> planted_faults();

const PlantedFault* find(std::string_view name);  // nullptr: there is none of that name

}  // namespace semel::sim
