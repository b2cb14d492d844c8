// options.cc: a swarm: each world has some of the faults and some of the workloads, each at its own rate.
#include "sim/world/options.h"

#include <fmt/core.h>

#include <array>

namespace semel::sim {
namespace {

constexpr milliseconds minutes(std::int64_t n) { return std::chrono::minutes(n); }

struct Usual {
  FaultClass fault;
  PerMillion low, high;  // per occasion, when the class is in the world at all
};
// An occasion: of crashes, stalls and clock steps a point in time; of commits a write-set; of the disk an operation; of
// the network a connection, of clogs, drips, partitions and cuts too; of DNS a query.
constexpr std::array<Usual, kFaultClasses> kUsual{{
    {FaultClass::crash_server, percent(50), percent(100)},
    {FaultClass::crash_receiver, percent(50), percent(100)},
    {FaultClass::stall, percent(20), percent(100)},
    {FaultClass::clock_step, percent(20), percent(100)},
    {FaultClass::commit_lost, {2'000}, percent(8)},
    {FaultClass::commit_doubt, {2'000}, percent(8)},
    {FaultClass::commit_late, {2'000}, percent(8)},
    {FaultClass::crash_in_commit, {500}, {8'000}},
    {FaultClass::power_loss, percent(50), percent(100)},
    {FaultClass::disk_full, {20}, {1'000}},
    {FaultClass::disk_io_error, {5}, {300}},
    {FaultClass::crash_in_disk, {20}, {1'500}},
    {FaultClass::refused, percent(1), percent(15)},
    {FaultClass::tls, percent(1), percent(8)},
    {FaultClass::delay, percent(1), percent(15)},
    {FaultClass::clog, percent(1), percent(6)},
    {FaultClass::partition, percent(1), percent(5)},
    {FaultClass::cut, percent(1), percent(25)},
    {FaultClass::drip, percent(1), percent(8)},
    {FaultClass::replay, percent(1), percent(20)},
    {FaultClass::stale_close, percent(5), percent(50)},
    {FaultClass::dns, percent(1), percent(15)},
    {FaultClass::receiver_fails, percent(1), percent(25)},
    {FaultClass::receiver_slow, percent(1), percent(10)},
}};

constexpr std::array<Length, 2> kLengths{{
    {"duration", &Options::duration, "of the phase in which faults act"},
    {"crash_every", &Options::crash_every, "mean, per process that may crash"},
}};

constexpr std::uint32_t kLogPagesLeast = 64;  // the store takes no smaller log
constexpr std::uint32_t kLogPagesMost = 100;
constexpr std::array<Number, 7> kNumbers{{
    {"honest", &Options::honest, 1, "receivers with an inbox"},
    {"hostile", &Options::hostile, 0, "receivers that mean harm"},
    {"producers", &Options::producers, 1, "who send events"},
    {"keys", &Options::keys, 1, "ordering keys, over all producers"},
    {"events", &Options::events, 1, "about so many, over all producers; at least one a key"},
    {"log_pages", &Options::log_pages, kLogPagesLeast, "of the store's log, on the disk; then its writer resets it"},
    {"checkpoint_frames", &Options::checkpoint_frames, 1, "by which that log grows until a checkpoint starts"},
}};

constexpr std::array<Flag, 14> kFlags{{
    {"transfers", &Options::transfers, "two events each, whose amounts add up to 0"},
    {"batches", &Options::batches, "several events in one request"},
    {"unkeyed", &Options::unkeyed, "events without an ordering key"},
    {"numbered_by_producer", &Options::numbered_by_producer, "some keys"},
    {"filtered", &Options::filtered, "some endpoints take only some types"},
    {"late_subscriber", &Options::late_subscriber, "an endpoint made in the middle"},
    {"come_and_go", &Options::come_and_go, "endpoints made and deleted in the middle"},
    {"resubscribes", &Options::resubscribes, "endpoints are given further subscriptions, and lose them again"},
    {"twins", &Options::twins, "two endpoints of one receiver and source"},
    {"replays", &Options::replays, "of single deliveries, while faults act"},
    {"reused_keys", &Options::reused_keys, "idempotency keys with other content"},
    {"direct", &Options::direct, "somebody who signs by hand sends to a receiver"},
    {"rude", &Options::rude, "somebody asks for what must be refused"},
    {"flood", &Options::flood, "one key whose first event is held up while a thousand follow"},
}};

void draw_faults(Options& options, Draw& draw) {
  // A world without any fault is worth having now and then; most have about half of the classes.
  const PerMillion in_world =
      draw.happens(percent(4)) ? percent(0) : percent(static_cast<std::uint32_t>(20 + draw.below(60)));
  for (const Usual& usual : kUsual) {
    const bool is_in = draw.happens(in_world);
    const auto rate = static_cast<std::uint32_t>(draw.between(usual.low.parts, usual.high.parts));
    if (is_in) options.rates[static_cast<std::size_t>(usual.fault)] = {rate};
  }
}

}  // namespace

std::string_view name_of(StoreKind kind) { return kind == StoreKind::memory ? "memory" : "disk"; }

Options draw_options(std::uint64_t seed, StoreKind store) {
  Draw draw = Draw(seed, "options");
  Options options{.seed = seed, .store = store};
  options.order = static_cast<Order>(draw.below(kOrders));
  options.duration = draw.happens(percent(70)) ? minutes(draw.between(2, 40)) : minutes(60 * draw.between(1, 80));
  options.honest = static_cast<std::uint32_t>(draw.between(1, 3));
  options.hostile = draw.happens(percent(40)) ? static_cast<std::uint32_t>(draw.between(1, 2)) : 0;
  options.producers = static_cast<std::uint32_t>(draw.between(1, 3));
  options.keys = static_cast<std::uint32_t>(draw.between(1, 6));
  options.events = static_cast<std::uint32_t>(draw.skewed(10, 3));
  const auto some = [&](std::uint32_t chance) { return draw.happens(percent(chance)); };
  options.transfers = some(40);
  options.batches = some(40);
  options.unkeyed = some(40);
  options.numbered_by_producer = some(25);
  options.filtered = some(40);
  options.late_subscriber = some(30);
  options.come_and_go = some(25);
  options.twins = some(20);
  options.replays = some(40);
  options.reused_keys = some(15);
  options.direct = some(15);
  options.rude = some(15);
  options.flood = draw.happens({5'000});
  if (options.flood) {
    options.honest = 1;
    options.duration = minutes(draw.between(2, 8));
  }
  options.crash_every = options.duration / draw.between(2, 8);
  draw_faults(options, draw);
  // What came later is drawn last, so that seeds draw what they drew before.
  options.resubscribes = some(30);
  options.log_pages = static_cast<std::uint32_t>(draw.between(kLogPagesLeast, kLogPagesMost));
  options.checkpoint_frames = static_cast<std::uint32_t>(draw.between(8, kLogPagesMost));
  return options;
}

std::span<const Length> lengths() { return kLengths; }
std::span<const Number> numbers() { return kNumbers; }
std::span<const Flag> flags() { return kFlags; }

std::string describe(const Options& options) {
  std::string text =
      fmt::format("seed={} store={} order={}", options.seed, name_of(options.store), name_of(options.order));
  for (const Length& length : kLengths) text += fmt::format(" {}={}ms", length.name, (options.*length.member).count());
  for (const Number& number : kNumbers) text += fmt::format(" {}={}", number.name, options.*number.member);
  for (const Flag& flag : kFlags)
    if (options.*flag.member) text += fmt::format(" {}", flag.name);
  text += " faults:";
  for (int i = 0; i < kFaultClasses; ++i) {
    const auto fault = static_cast<FaultClass>(i);
    const PerMillion rate = options.rates[static_cast<std::size_t>(i)];
    if (rate.parts > 0 && !options.mask.classes.contains(fault))
      text += fmt::format(" {}={}", name_of(fault), rate.parts);
  }
  for (const auto& [fault, number] : options.mask.single) text += fmt::format(" not {}:{}", name_of(fault), number);
  if (!options.mask.only) return text;
  text += " of these only:";
  for (const auto& [fault, number] : *options.mask.only) text += fmt::format(" {}:{}", name_of(fault), number);
  return text;
}

}  // namespace semel::sim
