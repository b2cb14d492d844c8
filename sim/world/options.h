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

  // What each of them means: lengths(), numbers(), flags().
  milliseconds duration{};
  milliseconds crash_every{};
  std::uint32_t honest = 1;
  std::uint32_t hostile = 0;
  std::uint32_t producers = 1;
  std::uint32_t keys = 1;
  std::uint32_t events = 10;
  std::uint32_t log_pages = 100;
  std::uint32_t checkpoint_frames = 16;
  bool transfers = false;
  bool batches = false;
  bool unkeyed = false;
  bool numbered_by_producer = false;
  bool filtered = false;
  bool late_subscriber = false;
  bool come_and_go = false;
  bool resubscribes = false;
  bool twins = false;
  bool replays = false;
  bool reused_keys = false;
  bool direct = false;
  bool rude = false;
  bool flood = false;
};

Options draw_options(std::uint64_t seed, StoreKind store);

// What makes a world beside its seed, store, order and faults, each by its name: as describe() prints it, as the
// command line takes it and as the shrinker cuts it down.
struct Length {
  std::string_view name;
  milliseconds Options::* member;
  std::string_view says;
};
struct Number {
  std::string_view name;
  std::uint32_t Options::* member;
  std::uint32_t least;  // a world can do with
  std::string_view says;
};
struct Flag {
  std::string_view name;
  bool Options::* member;
  std::string_view says;
};
std::span<const Length> lengths();
std::span<const Number> numbers();
std::span<const Flag> flags();

// One line with everything that is not at its default.
std::string describe(const Options& options);

}  // namespace semel::sim
