// measure.h: one run of one sender under the load, and what it cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace semel::bench {

struct Percentiles {  // microseconds
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
};
Percentiles percentiles(std::vector<std::int64_t> ns);

struct Run {
  double accepted_per_s = 0;
  double recorded_per_s = 0;       // until the last delivery was recorded in the store
  double cpu_us_per_delivery = 0;  // user and system time of the sender's process
  std::int64_t deliveries = 0;
  std::int64_t refused = 0;
  Percentiles answer;   // request sent to 202 read
  Percentiles arrival;  // 202 read to the first byte seen by the sink; 0 when the sink was first
};

struct Programs {
  std::string semel;
  std::string floor;
  std::string sink;
};

// Each in a fresh folder, with a sink of its own.
Result<Run> measure_floor(const Programs& programs, double seconds);
Result<Run> measure_semel(const Programs& programs, double seconds);

}  // namespace semel::bench
