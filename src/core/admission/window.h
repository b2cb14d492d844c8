// window.h: how many attempts an endpoint may have in flight now, and when it may have none.
//
// Decides:    Permit or Defer(until). Refusals (429, 502, 503, 504) without Retry-After halve the window; with it the
//             endpoint waits. Refused at window 1 it waits 1 s, doubling to 60 s. After a wait or a restart the window
//             begins at 1 and doubles per full window up to half of the last refused one, then grows by one per full
//             window (docs/design/endpoint-window.md has the simulation behind these numbers).
// Invariant:  1 <= window <= max_in_flight.
// On a crash: a wait stands in the store (endpoint_wait) and is loaded at start; the window begins at 1 again.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "base/time.h"

namespace semel::admission {

inline constexpr milliseconds kFirstWait{1'000};
inline constexpr milliseconds kLongestWait{60'000};

// The part that survives a restart.
struct Wait {
  WallTime until;
  milliseconds step{0};  // the last doubling wait; 0 when the wait came from Retry-After
};

class Window {
 public:
  // A new endpoint starts with its full window; `resumed` after a restart with 1.
  explicit Window(std::uint32_t max_in_flight) : max_(max_in_flight), size_(max_in_flight) {}
  static Window resumed(std::uint32_t max_in_flight, std::optional<Wait> wait);

  // Whether one more attempt may start when `in_flight` are under way.
  struct Permit {};
  struct Full {};  // until one of those in flight ends
  struct Defer {
    WallTime until;
  };  // until then none may start
  using Admission = std::variant<Permit, Full, Defer>;
  Admission admit(std::uint32_t in_flight, WallTime now);
  // The wait until then has passed by a clock that does not step; a longer one that began meanwhile stands.
  void wait_is_over(WallTime until);

  // Taken when an attempt starts, handed back with its answer: answers to attempts from before the last halving do
  // not halve again.
  std::uint64_t generation() const { return generation_; }

  void answered_willing(std::uint64_t generation);
  // Returns the wait that begins now and must be stored, if any.
  std::optional<Wait> answered_throttled(std::uint64_t generation, WallTime now);
  std::optional<Wait> answered_wait(milliseconds retry_after, WallTime now);

  std::uint32_t size() const { return size_; }
  std::optional<Wait> wait() const { return wait_; }

 private:
  std::uint32_t max_;
  std::uint32_t size_;
  std::uint32_t ramp_target_ = 0;  // doubles below this, then adds one
  std::uint32_t answers_in_window_ = 0;
  std::uint64_t generation_ = 0;
  milliseconds wait_step_{0};
  std::optional<Wait> wait_;
};

}  // namespace semel::admission
