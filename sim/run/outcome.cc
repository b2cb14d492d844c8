// outcome.cc: options and results, member by member.
#include "sim/run/outcome.h"

#include "base/check.h"
#include "base/probe.h"
#include "sim/run/child.h"
#include "sim/run/packed.h"

namespace semel::sim {
namespace {

void pack(Packer& to, const FaultMask::Singles& singles) {
  to.number(singles.size());
  for (const auto& [fault, number] : singles) to.number(static_cast<std::uint64_t>(fault)).number(number);
}

FaultMask::Singles unpack_singles(Unpacker& from) {
  FaultMask::Singles singles;
  for (std::uint64_t left = from.number(); left > 0; --left) {
    const auto fault = static_cast<FaultClass>(from.number());
    singles.insert({fault, from.number()});
  }
  return singles;
}

void pack(Packer& to, const FaultMask& mask) {
  to.number(mask.classes.size());
  for (const FaultClass fault : mask.classes) to.number(static_cast<std::uint64_t>(fault));
  pack(to, mask.single);
  to.number(mask.only ? 1 : 0);
  if (mask.only) pack(to, *mask.only);
}

FaultMask unpack_mask(Unpacker& from) {
  FaultMask mask;
  for (std::uint64_t left = from.number(); left > 0; --left)
    mask.classes.insert(static_cast<FaultClass>(from.number()));
  mask.single = unpack_singles(from);
  if (from.number() > 0) mask.only = unpack_singles(from);
  return mask;
}

void pack(Packer& to, const Options& options) {
  to.number(options.seed).number(static_cast<std::uint64_t>(options.store));
  to.number(static_cast<std::uint64_t>(options.order));
  for (const PerMillion rate : options.rates) to.number(rate.parts);
  for (const Length& length : lengths()) to.number(static_cast<std::uint64_t>((options.*length.member).count()));
  for (const Number& number : numbers()) to.number(options.*number.member);
  for (const Flag& flag : flags()) to.number(options.*flag.member ? 1 : 0);
  pack(to, options.mask);
}

Options unpack_options(Unpacker& from) {
  Options options;
  options.seed = from.number();
  options.store = static_cast<StoreKind>(from.number());
  options.order = static_cast<Order>(from.number());
  for (PerMillion& rate : options.rates) rate.parts = static_cast<std::uint32_t>(from.number());
  for (const Length& length : lengths())
    options.*length.member = milliseconds(static_cast<std::int64_t>(from.number()));
  for (const Number& number : numbers()) options.*number.member = static_cast<std::uint32_t>(from.number());
  for (const Flag& flag : flags()) options.*flag.member = from.number() > 0;
  options.mask = unpack_mask(from);
  return options;
}

// In this process, since the last call.
std::vector<std::string_view> newly_hit() {
  static std::vector<const probe::Mark*> waiting = probe::Mark::all();
  std::vector<std::string_view> names;
  std::erase_if(waiting, [&](const probe::Mark* mark) {
    if (mark->was_hit()) names.push_back(mark->name());
    return mark->was_hit();
  });
  return names;
}

void pack(Packer& to, const Struck& struck) {
  to.number(static_cast<std::uint64_t>(struck.fault)).number(struck.number);
}

Struck unpack_struck(Unpacker& from) {
  const auto fault = static_cast<FaultClass>(from.number());
  return {.fault = fault, .number = from.number()};
}

void pack(Packer& to, const WorldResult& result) {
  to.number(result.violation ? 1 : 0);
  if (result.violation)
    to.text(result.violation->checker)
        .text(result.violation->text)
        .number(static_cast<std::uint64_t>(result.violation->at.ns));
  to.number(result.hash).number(static_cast<std::uint64_t>(result.simulated_ms)).number(result.busy_hours);
  to.number(result.crashes).number(result.recoveries).number(result.steps).number(result.events);
  to.number(result.struck.size());
  for (const Struck& struck : result.struck) pack(to, struck);
  to.text(result.chart);
}

WorldResult unpack_result(Unpacker& from) {
  WorldResult result;
  if (from.number() > 0) {
    Violation& violation = result.violation.emplace();
    violation.checker = from.text();
    violation.text = from.text();
    violation.at = MonotonicTime{static_cast<std::int64_t>(from.number())};
  }
  result.hash = from.number();
  result.simulated_ms = static_cast<std::int64_t>(from.number());
  result.busy_hours = from.number();
  result.crashes = from.number();
  result.recoveries = from.number();
  result.steps = from.number();
  result.events = from.number();
  for (std::uint64_t left = from.number(); left > 0; --left) result.struck.push_back(unpack_struck(from));
  result.chart = from.text();
  return result;
}

WorldResult died(std::string cause) {
  WorldResult result;
  result.violation = Violation{.checker = std::string(kDied), .text = std::move(cause), .at = {}};
  return result;
}

// A world's end as the process says it that ran it.
std::string packed_end(const WorldOrder& order, const Watching& watching, const RunWorld& run_world) {
  Packer to;
  pack(to, run_world(order, watching));
  for (const std::string_view name : newly_hit()) to.text(name);
  return to.take();
}

Outcome unpack_end(std::string_view bytes) {
  Unpacker from(bytes);
  Outcome outcome{.result = unpack_result(from), .newly_hit = {}};
  while (!from.empty()) outcome.newly_hit.push_back(from.text());
  return outcome;
}

}  // namespace

WorldResult run_order(const WorldOrder& order, const Watching& watching) {
#ifdef SEMEL_PLANTED
  switch_on(order.planted);
#else
  SEMEL_CHECK(!order.planted);
#endif
  return run_world(order.options, watching);
}

Job world_job(const WorldOrder& order, std::function<void(const Outcome&)> then) {
  Packer to;
  pack(to, order.options);
  to.number(order.planted ? 1 : 0);
  if (order.planted) to.number(static_cast<std::uint64_t>(*order.planted));
  return {.order = to.take(), .then = [then = std::move(then)](const Answer& answer) {
            then(answer.death ? Outcome{.result = died(*answer.death), .newly_hit = {}} : unpack_end(answer.said));
          }};
}

std::string run_ordered_world(std::string_view bytes, const RunWorld& run_world) {
  Unpacker from(bytes);
  WorldOrder order{.options = unpack_options(from), .planted = std::nullopt};
  if (from.number() > 0) order.planted = static_cast<Planted>(from.number());
  return packed_end(order, {}, run_world);
}

Outcome run_in_a_child(const WorldOrder& order, const ChildTerms& terms, const Watching& watching,
                       const RunWorld& run_world) {
  const Ended ended = in_a_child(terms, [&](Wire& wire) {
    Watching telling = watching;
    telling.struck = [&wire](const Struck& struck) {
      Packer to;
      pack(to, struck);
      wire.send(to.take());
    };
    wire.send(packed_end(order, telling, run_world));
  });
  if (!ended.death) return unpack_end(ended.said.back());
  Outcome outcome{.result = died(*ended.death), .newly_hit = {}};
  for (const std::string& said : ended.said) {
    Unpacker from(said);
    outcome.result.struck.push_back(unpack_struck(from));
  }
  return outcome;
}

}  // namespace semel::sim
