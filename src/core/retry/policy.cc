// policy.cc: the schedules.
#include "core/retry/policy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/match.h"
#include "base/nearest.h"
#include "base/probe.h"

namespace semel::retry {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<milliseconds, 4> kFiveMinutesDelays{seconds(1), seconds(4), seconds(16), seconds(64)};
constexpr milliseconds kFiveMinutesEnd = seconds(300);
constexpr std::array<milliseconds, 9> kStandardDelays{seconds(5), minutes(5), minutes(30), hours(2), hours(5),
                                                      hours(10),  hours(14),  hours(20),   hours(24)};

// +-10 %
milliseconds spread(milliseconds delay, Random& random) {
  const std::int64_t tenth = delay.count() / 10;
  return milliseconds(random.between(delay.count() - tenth, delay.count() + tenth));
}

TryAgain after(milliseconds delay, WallTime now) { return {now + delay, delay}; }

NextTry next_of_five_minutes(const RoundProgress& progress, WallTime now, Random& random) {
  if (progress.counted <= kFiveMinutesDelays.size()) {
    const std::size_t index = progress.counted == 0 ? 0 : progress.counted - 1;
    return after(spread(kFiveMinutesDelays[index], random), now);
  }
  probe::sometimes<"policy.five_minutes_over">(progress.counted > kFiveMinutesDelays.size() + 1);
  if (progress.counted > kFiveMinutesDelays.size() + 1) return RoundOver{};
  // Within the window also when the clock was set back since the first attempt.
  const milliseconds left = progress.clock_origin.value_or(now) + kFiveMinutesEnd - now;
  return after(std::clamp(left, milliseconds(0), kFiveMinutesEnd), now);
}

NextTry next_of_standard(const RoundProgress& progress, WallTime now, Random& random) {
  probe::sometimes<"policy.standard_over">(progress.counted > kStandardDelays.size());
  if (progress.counted > kStandardDelays.size()) return RoundOver{};
  const std::size_t index = progress.counted == 0 ? 0 : progress.counted - 1;
  return after(spread(kStandardDelays[index], random), now);
}

// base * factor^(n-1), clamped while still a double: no shift, no cast can overflow.
milliseconds exponential(const Spelled& policy, std::uint32_t n) {
  const double raw = static_cast<double>(policy.base.count()) * std::pow(policy.factor, n == 0 ? 0.0 : n - 1.0);
  const auto cap = static_cast<double>(policy.max_delay.count());
  return milliseconds(static_cast<std::int64_t>(std::min(raw, cap)));
}

milliseconds jittered(const Spelled& policy, const RoundProgress& progress, Random& random) {
  const milliseconds raw = exponential(policy, progress.counted);
  switch (policy.jitter) {
    case Jitter::none:
      return raw;
    case Jitter::full:
      return milliseconds(random.between(1, std::max<std::int64_t>(1, raw.count())));
    case Jitter::equal:
      return milliseconds(random.between(raw.count() - raw.count() / 2, raw.count()));
    case Jitter::decorrelated: {
      probe::reached<"policy.decorrelated_jitter">();
      const std::int64_t base = policy.base.count();
      const std::int64_t last = std::max(base, progress.last_delay.value_or(policy.base).count());
      const std::int64_t high = std::max(base, std::min(policy.max_delay.count(), last) * 3);
      return milliseconds(std::min(policy.max_delay.count(), random.between(base, high)));
    }
  }
  std::unreachable();
}

NextTry next_of_spelled(const Spelled& policy, const RoundProgress& progress, WallTime now, Random& random) {
  probe::sometimes<"policy.attempts_over">(policy.max_attempts && progress.counted >= *policy.max_attempts);
  if (policy.max_attempts && progress.counted >= *policy.max_attempts) return RoundOver{};
  const milliseconds delay = jittered(policy, progress, random);
  if (!policy.max_elapsed) return after(delay, now);
  const WallTime end = progress.clock_origin.value_or(now) + *policy.max_elapsed;
  probe::sometimes<"policy.time_over">(now >= end);
  probe::sometimes<"policy.last_try_at_its_end">(now < end && now + delay >= end);
  if (now >= end) return RoundOver{};
  return TryAgain{std::min(now + delay, end), delay};
}

constexpr std::array<std::pair<std::string_view, Jitter>, 4> kJitters{
    {{"none", Jitter::none}, {"full", Jitter::full}, {"equal", Jitter::equal}, {"decorrelated", Jitter::decorrelated}}};

constexpr milliseconds kBaseMax = hours(24);
constexpr milliseconds kDelayMax = hours(24 * 7);
constexpr milliseconds kElapsedMax = hours(24 * 14);
constexpr std::uint32_t kAttemptsMax = 1000;

std::unexpected<Error> refuse(std::string note) { return fail(Fault::invalid, std::move(note)); }

Result<milliseconds> read_duration(const JsonValue& json, std::string_view member, milliseconds low,
                                   milliseconds high) {
  Result<milliseconds> duration = refuse("");
  if (json.kind() == JsonKind::string)
    duration = parse_duration(json.text());
  else if (const std::optional<std::int64_t> ms = json.integer(); ms)
    duration = milliseconds(*ms);
  if (!duration || *duration < low || *duration > high)
    return refuse(std::string(member) + " is a duration such as \"50ms\", \"2s\", \"10m\" or milliseconds, from " +
                  std::to_string(low.count()) + " ms to " + std::to_string(high.count()) + " ms");
  return duration;
}

Result<double> read_factor(const JsonValue& json) {
  double factor = 0;
  if (json.kind() == JsonKind::number)
    std::from_chars(json.text().data(), json.text().data() + json.text().size(), factor);
  if (!(factor >= 1.0 && factor <= 100.0)) return refuse("factor is a number from 1 to 100");
  return factor;
}

Result<Jitter> read_jitter(const JsonValue& json) {
  if (json.kind() == JsonKind::string)
    for (const auto& [name, jitter] : kJitters)
      if (json.text() == name) return jitter;
  return refuse("jitter is none, full, equal or decorrelated");
}

Result<std::uint32_t> read_attempts(const JsonValue& json) {
  const std::optional<std::int64_t> n = json.kind() == JsonKind::number ? json.integer() : std::nullopt;
  if (!n || *n < 1 || *n > kAttemptsMax) return refuse("max_attempts is a whole number from 1 to 1000");
  return static_cast<std::uint32_t>(*n);
}

constexpr std::array<std::string_view, 6> kMembers{"base",        "factor",       "max_delay",
                                                   "max_elapsed", "max_attempts", "jitter"};

Result<void> read_member(std::string_view name, const JsonValue& value, Spelled& policy) {
  if (name == "base") {
    SEMEL_TRY(base, read_duration(value, name, milliseconds(1), kBaseMax));
    policy.base = base;
  } else if (name == "factor") {
    SEMEL_TRY(factor, read_factor(value));
    policy.factor = factor;
  } else if (name == "max_delay") {
    SEMEL_TRY(max_delay, read_duration(value, name, milliseconds(1), kDelayMax));
    policy.max_delay = max_delay;
  } else if (name == "max_elapsed") {
    SEMEL_TRY(max_elapsed, read_duration(value, name, milliseconds(1), kElapsedMax));
    policy.max_elapsed = max_elapsed;
  } else if (name == "max_attempts") {
    SEMEL_TRY(max_attempts, read_attempts(value));
    policy.max_attempts = max_attempts;
  } else if (name == "jitter") {
    SEMEL_TRY(jitter, read_jitter(value));
    policy.jitter = jitter;
  } else {
    const std::optional<std::string_view> nearest = nearest_name(name, kMembers);
    return refuse("a retry policy has no member of that name" +
                  (nearest ? "; the nearest is " + std::string(*nearest) : ""));
  }
  return {};
}

Result<Policy> read_spelled(const JsonValue& json) {
  Spelled policy;
  for (std::size_t i = 0; i < json.size(); ++i) SEMEL_TRY_VOID(read_member(json.name(i), json.at(i), policy));
  if (policy.max_delay < policy.base) return refuse("max_delay is at least base");
  if (!policy.max_attempts && !policy.max_elapsed)
    return refuse("a retry policy needs max_attempts or max_elapsed, so that it ends");
  return policy;
}

}  // namespace

NextTry next_try(const Policy& policy, const RoundProgress& progress, WallTime now, Random& random) {
  return match(
      policy,
      [&](Named named) -> NextTry {
        switch (named) {
          case Named::five_minutes:
            return next_of_five_minutes(progress, now, random);
          case Named::standard:
            return next_of_standard(progress, now, random);
        }
        std::unreachable();
      },
      [&](const Spelled& spelled) { return next_of_spelled(spelled, progress, now, random); });
}

Result<milliseconds> parse_duration(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  if (error == std::errc{} && number >= 0 && !text.starts_with('-'))
    for (const auto& [name, ms] : kUnits)
      if (unit == name && number <= kElapsedMax.count() / ms * 100) return milliseconds(number * ms);
  return refuse("a duration is a whole number and ms, s, m, h or d");
}

Result<Policy> parse_policy(const JsonValue& json) {
  if (json.kind() == JsonKind::string) {
    if (json.text() == "five-minutes") return Named::five_minutes;
    if (json.text() == "standard") return Named::standard;
  }
  if (json.kind() == JsonKind::object) return read_spelled(json);
  return refuse(
      "a retry policy is \"standard\", \"five-minutes\" or an object with base, factor, max_delay, "
      "max_elapsed, max_attempts and jitter");
}

std::string policy_json(const Policy& policy) {
  return match(
      policy, [](Named named) { return std::string(named == Named::standard ? "\"standard\"" : "\"five-minutes\""); },
      [](const Spelled& spelled) {
        JsonWriter json;
        json.object().member("base", spelled.base.count()).member("factor", spelled.factor);
        json.member("max_delay", spelled.max_delay.count());
        if (spelled.max_elapsed) json.member("max_elapsed", spelled.max_elapsed->count());
        json.member_if("max_attempts", spelled.max_attempts);
        json.member("jitter", kJitters[static_cast<std::size_t>(spelled.jitter)].first).end();
        return json.take();
      });
}

}  // namespace semel::retry
