// load.h: closed-loop producers on one epoll thread: each sends its next event when the last one has been answered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace semel::bench {

struct LoadPlan {
  std::uint16_t port;
  std::string bearer;  // empty: no authorization header
  int clients = 64;
  double seconds = 6;
};

struct LoadResult {
  std::int64_t started_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t accepted = 0;
  std::int64_t refused = 0;                  // answers other than 202; the client rests for 10 ms and sends again
  std::vector<std::int64_t> answer_ns;       // from the first byte sent to the 202, of each accepted event
  std::vector<std::int64_t> accepted_at_ns;  // by the event's number; 0 when it was not accepted
};

inline constexpr std::size_t kEventBytes = 1024;

LoadResult run_load(const LoadPlan& plan);

}  // namespace semel::bench
