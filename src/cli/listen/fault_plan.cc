// fault_plan.cc: reading and drawing faults.
#include "cli/listen/fault_plan.h"

#include <charconv>

namespace semel::cli {
namespace {

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<double> parse_probability(std::string_view text) {
  const std::optional<double> value = whole_number<double>(text);
  if (!value || !(*value >= 0 && *value <= 1)) return fail(Fault::invalid, "a probability is a number from 0 to 1");
  return *value;
}

Result<FaultPlan::Failure> parse_failure(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<int> status = whole_number<int>(text.substr(0, colon));
  if (colon == std::string_view::npos || !status || *status < 200 || *status > 599)
    return fail(Fault::invalid, "--fail: expected STATUS:P, such as 503:0.1");
  SEMEL_TRY(probability, parse_probability(text.substr(colon + 1)));
  return FaultPlan::Failure{*status, probability};
}

Result<milliseconds> parse_delay(std::string_view text) {
  const bool in_ms = text.ends_with("ms");
  const bool in_s = !in_ms && text.ends_with("s");
  const std::optional<std::uint32_t> number =
      whole_number<std::uint32_t>(text.substr(0, text.size() - (in_ms ? 2 : 1)));
  if ((!in_ms && !in_s) || !number) return fail(Fault::invalid, "--delay: expected a time such as 50ms or 2s");
  return milliseconds(in_ms ? *number : *number * std::int64_t{1'000});
}

Fate Faults::draw() {
  Fate fate;
  for (const FaultPlan::Failure& failure : plan_.failures)
    if (happens(failure.probability) && !fate.fail_with) fate.fail_with = failure.status;
  if (happens(plan_.hang)) fate.hang = happens(0.5) ? Fate::Hang::before_commit : Fate::Hang::after_commit;
  return fate;
}

bool Faults::drops_ack() {
  const bool drops = dropped_ < plan_.drop_ack_first || happens(plan_.drop_ack);
  if (drops) ++dropped_;
  return drops;
}

bool Faults::happens(double probability) {
  constexpr double kStep = 1.0 / static_cast<double>(std::uint64_t{1} << 53);
  return static_cast<double>(random_.next() >> 11) * kStep < probability;
}

}  // namespace semel::cli
