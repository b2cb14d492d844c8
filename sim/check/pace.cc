// pace.cc: the schedules as tables.
#include "sim/check/pace.h"

#include <algorithm>
#include <array>

#include "base/match.h"
#include "sim/check/body_text.h"

namespace semel::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr milliseconds kRounding{1};
constexpr milliseconds kLongestAsked = hours(1);
constexpr std::array<milliseconds, 9> kStandard{seconds(5), minutes(5), minutes(30), hours(2), hours(5),
                                                hours(10),  hours(14),  hours(20),   hours(24)};
constexpr std::array<milliseconds, 4> kFiveMinutes{seconds(1), seconds(4), seconds(16), seconds(64)};

DelayRange varied(milliseconds delay) { return {delay - delay / 10 - kRounding, delay + delay / 10 + kRounding}; }

DelayRange spelled(const retry::Spelled& policy, std::uint32_t failed) {
  auto delay = static_cast<double>(policy.base.count());
  const auto most = static_cast<double>(policy.max_delay.count());
  for (std::uint32_t i = 1; i < failed && delay < most; ++i) delay *= policy.factor;
  const milliseconds whole(static_cast<std::int64_t>(std::min(delay, most)));
  switch (policy.jitter) {
    case retry::Jitter::none:
      return {whole - kRounding, whole + kRounding};
    case retry::Jitter::full:
      return {milliseconds(0), whole + kRounding};
    case retry::Jitter::equal:
      return {whole / 2 - kRounding, whole + kRounding};
    case retry::Jitter::decorrelated:  // up to three times the last delay, which is not kept here
      return {policy.base - kRounding, policy.max_delay + kRounding};
  }
  std::unreachable();
}

}  // namespace

std::optional<std::uint32_t> most_attempts(const retry::Policy& policy) {
  return match(
      policy,
      [](retry::Named named) -> std::optional<std::uint32_t> {
        return static_cast<std::uint32_t>(named == retry::Named::standard ? kStandard.size() + 1
                                                                          : kFiveMinutes.size() + 2);
      },
      [](const retry::Spelled& own) { return own.max_attempts; });
}

std::optional<milliseconds> longest_round(const retry::Policy& policy) {
  return match(
      policy, [](retry::Named) -> std::optional<milliseconds> { return std::nullopt; },
      [](const retry::Spelled& own) { return own.max_elapsed; });
}

DelayRange delay_range(const retry::Policy& policy, std::uint32_t failed, std::optional<milliseconds> left) {
  return match(
      policy,
      [&](retry::Named named) -> DelayRange {
        const std::size_t index = failed == 0 ? 0 : failed - 1;
        if (named == retry::Named::standard) return varied(kStandard[std::min(index, kStandard.size() - 1)]);
        if (index < kFiveMinutes.size()) return varied(kFiveMinutes[index]);
        if (!left) return {milliseconds(0), seconds(300)};
        const milliseconds last = std::clamp<milliseconds>(*left, milliseconds(0), seconds(300));
        return {last - kRounding, last + kRounding};
      },
      [&](const retry::Spelled& own) {
        DelayRange range = spelled(own, failed);
        if (!own.max_elapsed) return range;
        if (!left) return DelayRange{milliseconds(0), range.high};
        return DelayRange{std::min(range.low, *left - kRounding), std::min(range.high, *left + kRounding)};
      });
}

milliseconds parked_delay(std::uint32_t asks_before) {
  milliseconds delay = seconds(30);
  for (std::uint32_t i = 0; i < asks_before && delay < hours(1); ++i) delay *= 2;
  return std::min<milliseconds>(delay, hours(1));
}

DelayRange asked_wait(std::string_view retry_after) {
  const auto digits = whole_number(retry_after);
  if (!digits) return {milliseconds(0), kLongestAsked};
  const auto longest = static_cast<std::uint64_t>(kLongestAsked / seconds(1));
  const milliseconds wait = seconds(static_cast<std::int64_t>(std::min(*digits, longest)));
  return {wait, wait};
}

}  // namespace semel::sim
