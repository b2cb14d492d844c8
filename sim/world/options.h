// options.h: everything that makes a world beside its seed: drawn from the seed, printed when it fails, cut down by the
// shrinker.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "sim/kernel/faults.h"
#include "sim/kernel/schedule.h"

namespace semel::sim {

enum class StoreKind : std::uint8_t { memory, disk };
std::string_view name_of(StoreKind kind);

struct Options {
  std::uint64_t seed = 0;
  StoreKind store = StoreKind::memory;
  Order order = Order::fifo;
  Faults::Rates rates{};
  FaultMask mask;

  milliseconds duration{};     // of the phase in which faults act
  milliseconds crash_every{};  // mean, per process that may crash
  std::uint32_t honest = 1;    // receivers with an inbox
  std::uint32_t hostile = 0;   // receivers that mean harm
  std::uint32_t producers = 1;
  std::uint32_t keys = 1;     // ordering keys, over all producers
  std::uint32_t events = 10;  // about so many, over all producers
  bool transfers = false;     // two events each, whose amounts add up to 0
  bool batches = false;
  bool unkeyed = false;
  bool numbered_by_producer = false;  // some keys
  bool filtered = false;              // some endpoints take only some types
  bool late_subscriber = false;       // an endpoint made in the middle
  bool come_and_go = false;           // endpoints made and deleted in the middle
  bool resubscribes = false;          // endpoints are given further subscriptions, and lose them again
  bool twins = false;                 // two endpoints of one receiver and source
  bool replays = false;               // of single deliveries, while faults act
  bool reused_keys = false;           // idempotency keys with other content
  bool direct = false;                // somebody who signs by hand sends to a receiver
  bool rude = false;                  // somebody asks for what must be refused
  bool flood = false;                 // one key whose first event is held up while a thousand follow
};

Options draw_options(std::uint64_t seed, StoreKind store);

// What makes a world beside its seed, store, order and faults, each by its name: as describe() prints it, as the
// command line takes it and as the shrinker cuts it down.
struct Length {
  std::string_view name;
  milliseconds Options::* member;
};
struct Number {
  std::string_view name;
  std::uint32_t Options::* member;
  std::uint32_t least;  // a world can do with
};
struct Flag {
  std::string_view name;
  bool Options::* member;
};
std::span<const Length> lengths();
std::span<const Number> numbers();
std::span<const Flag> flags();

// One line with everything that is not at its default.
std::string describe(const Options& options);

}  // namespace semel::sim
