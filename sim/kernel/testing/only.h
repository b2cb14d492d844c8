// only.h: a world with one class of faults.
#pragma once

#include "sim/kernel/faults.h"

namespace semel::sim {

inline Faults::Rates only(FaultClass fault, PerMillion rate = percent(100)) {
  Faults::Rates rates{};
  rates[static_cast<std::size_t>(fault)] = rate;
  return rates;
}

}  // namespace semel::sim
