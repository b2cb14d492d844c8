// producers.cc: the writers.
#include "sim/workload/producers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace semel::sim {
namespace {

constexpr std::array<std::string_view, 4> kShipmentTypes{"shipment.created", "shipment.moved", "shipment.moved",
                                                         "shipment.done"};
constexpr std::uint32_t kFloodEvents = 1'100;

std::string shipment_type(Draw& draw) {
  return std::string(draw.pick(std::span<const std::string_view>(kShipmentTypes)));
}

}  // namespace

Producers::Producers(Stage& stage) : stage_(stage), draw_(stage.ground.draw.fork("producers")) {
  for (std::uint32_t i = 0; i < stage.ground.options.producers; ++i)
    submitters_.push_back(std::make_unique<Submitter>(stage, fmt::format("producer{}", i + 1), 10 + i,
                                                      stage.ground.draw.fork("producer", i)));
}

void Producers::start() {
  const Options& options = stage_.ground.options;
  const std::uint32_t per_key = std::max<std::uint32_t>(1, options.events / options.keys);
  for (std::uint32_t k = 0; k < options.keys; ++k) {
    Submitter& by = any();
    const std::string key = fmt::format("shipment-{}", k);
    if (options.numbered_by_producer && k % 2 == 1) by.number_by_producer(key);
    if (options.batches && k % 3 == 2)
      scope_.spawn(write_batches(by, {key, key + "b"}, per_key));
    else
      scope_.spawn(write_key(by, key, per_key));
  }
  if (options.unkeyed) scope_.spawn(write_unkeyed(any(), std::max<std::uint32_t>(1, options.events / 4)));
  if (options.transfers) scope_.spawn(transfer(any(), std::max<std::uint32_t>(1, options.events / 6)));
  if (options.reused_keys) scope_.spawn(reuse_keys(any(), 3));
  if (options.flood) scope_.spawn(flood(any()));
}

// About as long as is needed to spread `of` events over the time in which faults act.
Co<void> Producers::pause(Submitter& by, std::uint32_t of) {
  if (stage_.faults_over) co_return;
  const std::int64_t mean = stage_.ground.options.duration.count() / (of + 1);
  // Bursts, and then nothing for a while.
  if (by.draw().happens(percent(50))) co_return;
  const MonotonicTime end =
      by.host().process.now() + milliseconds(by.draw().between(1, std::max<std::int64_t>(2, 3 * mean)));
  // Long pauses end with the faults.
  while (by.host().process.now() < end && !stage_.faults_over)
    co_await by.host().sleep(
        std::min<milliseconds>(std::chrono::ceil<milliseconds>(end - by.host().process.now()),
                               std::max<milliseconds>(milliseconds(100), stage_.ground.options.duration / 8)));
}

Co<void> Producers::submit_one(Submitter& by, MadeEvent event) {
  Submission submission = by.new_submission();
  submission.events.push_back(std::move(event));
  co_await by.submit(std::move(submission));
}

Co<void> Producers::write_key(Submitter& by, std::string key, std::uint32_t events) {
  for (std::uint32_t i = 0; i < events; ++i) {
    co_await pause(by, events);
    co_await submit_one(by, by.new_event(shipment_type(by.draw()), key, i, 0));
  }
}

Co<void> Producers::write_unkeyed(Submitter& by, std::uint32_t events) {
  for (std::uint32_t i = 0; i < events; ++i) {
    co_await pause(by, events);
    co_await submit_one(by, by.new_event("invoice.paid", std::nullopt, i, 0));
  }
}

Co<void> Producers::write_batches(Submitter& by, std::vector<std::string> keys, std::uint32_t events) {
  std::vector<std::uint64_t> next(keys.size());
  for (std::uint32_t sent = 0; sent < events;) {
    co_await pause(by, events / 3);
    Submission submission = by.new_submission();
    submission.batch = true;
    const auto size = static_cast<std::uint32_t>(by.draw().between(1, 6));
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::size_t key = by.draw().below(keys.size());
      submission.events.push_back(by.new_event(shipment_type(by.draw()), keys[key], next[key]++, 0));
    }
    sent += size;
    co_await by.submit(std::move(submission));
  }
}

// Money leaves one account and arrives at another: two events, whose amounts add up to nothing.
Co<void> Producers::transfer(Submitter& by, std::uint32_t transfers) {
  std::array<std::uint64_t, 3> next{};
  for (std::uint32_t i = 0; i < transfers; ++i) {
    co_await pause(by, transfers);
    const std::size_t from = by.draw().below(3);
    const std::size_t to = (from + 1 + by.draw().below(2)) % 3;
    const std::int64_t amount = by.draw().between(1, 1'000);
    Submission submission = by.new_submission();
    submission.batch = true;
    submission.events.push_back(by.new_event("transfer.debit", fmt::format("account-{}", from), next[from]++, -amount));
    submission.events.push_back(by.new_event("transfer.credit", fmt::format("account-{}", to), next[to]++, amount));
    co_await by.submit(std::move(submission));
  }
}

Co<void> Producers::reuse_keys(Submitter& by, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) {
    co_await pause(by, times);
    Submission first = by.new_submission();
    first.events.push_back(by.new_event("invoice.paid", std::nullopt, 2 * i, 0));
    Submission other = first;
    other.number = by.new_submission().number;
    other.events = {by.new_event("invoice.paid", std::nullopt, 2 * i + 1, 0)};
    co_await by.submit(std::move(first));
    co_await by.submit_conflicting(std::move(other));
  }
}

Co<void> Producers::flood(Submitter& by) {
  std::uint64_t index = 0;
  while (index < kFloodEvents) {
    Submission submission = by.new_submission();
    submission.batch = true;
    while (submission.events.size() < 100 && index < kFloodEvents)
      submission.events.push_back(by.new_event("flood.drop", "flood", index++, 0));
    co_await by.submit(std::move(submission));
  }
}

void Producers::announce(const std::string& type, std::int64_t events) {
  Submitter& by = *submitters_.front();
  for (; events > 0; --events)
    scope_.spawn(submit_one(by, by.new_event(type, fmt::format("only-{}-{}", type, ++announced_), 0, 0)));
}

}  // namespace semel::sim
