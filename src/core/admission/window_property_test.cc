// window_property_test.cc: an endpoint's window under attempts as the dispatcher starts and answers them, in any order,
// with restarts and a clock that may be set back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "base/match.h"
#include "core/admission/window.h"

namespace semel::admission {
namespace {

using std::chrono::seconds;

struct Start {};
enum class Says { willing, throttled, wait, nothing };  // nothing: no complete answer came
struct Answer {
  std::size_t attempt;  // modulo those in flight
  Says says;
  milliseconds retry_after;
};
struct Pass {
  milliseconds time;  // may be negative: somebody set the clock
};
struct WaitPasses {};  // by the clock that never steps
struct Restart {};
using Input = std::variant<Start, Answer, Pass, WaitPasses, Restart>;

rc::Gen<milliseconds> any_wait() {
  return rc::gen::map(rc::gen::element(0, 1, 999, 1'000, 5'000, 60'000, 3'600'000),
                      [](int ms) { return milliseconds(ms); });
}

rc::Gen<std::vector<Input>> any_inputs() {
  const auto answer = rc::gen::exec([]() -> Input {
    return Answer{.attempt = *rc::gen::inRange<std::size_t>(0, 64),
                  .says = *rc::gen::weightedElement<Says>(
                      {{4, Says::willing}, {3, Says::throttled}, {1, Says::wait}, {1, Says::nothing}}),
                  .retry_after = *any_wait()};
  });
  const auto pass = rc::gen::exec([]() -> Input {
    const milliseconds time = *any_wait();
    return Pass{*rc::gen::weightedElement<int>({{9, 1}, {1, -1}}) * time};
  });
  return rc::gen::scale(3.0, rc::gen::container<std::vector<Input>>(rc::gen::weightedOneOf<Input>(
                                 {{8, rc::gen::just(Input(Start{}))},
                                  {8, answer},
                                  {3, pass},
                                  {1, rc::gen::element<Input>(WaitPasses{}, Restart{})}})));
}

struct World {
  std::uint32_t max = *rc::gen::element(1u, 2u, 3u, 16u, 256u);
  WallTime now{1'000'000'000};
  Window window{max};
  std::vector<std::uint64_t> in_flight;  // the generation each was started in
  milliseconds last_step{0};             // of the waits that double

  bool starts() {
    const auto count = static_cast<std::uint32_t>(in_flight.size());
    const std::optional<Wait> wait = window.wait();
    const Window::Admission admission = window.admit(count, now);
    const bool must_wait = wait && now < wait->until;
    RC_ASSERT(std::holds_alternative<Window::Defer>(admission) == must_wait);
    if (must_wait) {
      RC_ASSERT(std::get<Window::Defer>(admission).until == wait->until);
      return false;
    }
    RC_ASSERT(std::holds_alternative<Window::Permit>(admission) == (count < window.size()));
    if (!std::holds_alternative<Window::Permit>(admission)) return false;
    in_flight.push_back(window.generation());
    return true;
  }

  void take(const Start&) { starts(); }
  void take(const Pass& pass) { now = now + pass.time; }

  void take(const WaitPasses&) {
    const std::optional<Wait> wait = window.wait();
    if (!wait) return;
    window.wait_is_over(wait->until - milliseconds(1));
    RC_ASSERT(window.wait().has_value());
    window.wait_is_over(wait->until);
    RC_ASSERT(!window.wait());
  }

  void take(const Restart&) {
    last_step = window.wait() ? window.wait()->step : milliseconds(0);
    window = Window::resumed(max, window.wait());
    in_flight.clear();  // they have lapsed
    RC_ASSERT(window.size() == 1u);
  }

  void take(const Answer& answer) {
    if (in_flight.empty()) return;
    const auto attempt = in_flight.begin() + static_cast<std::ptrdiff_t>(answer.attempt % in_flight.size());
    const std::uint64_t generation = *attempt;
    in_flight.erase(attempt);
    const bool stale = generation != window.generation();
    const std::uint32_t size = window.size();
    const std::optional<Wait> wait = window.wait();
    switch (answer.says) {
      case Says::willing:
        window.answered_willing(generation);
        if (!stale) last_step = milliseconds(0);
        RC_ASSERT((stale ? window.size() == size : window.size() >= size));
        break;
      case Says::throttled:
        check_refusal(window.answered_throttled(generation, now), stale, size);
        break;
      case Says::wait:
        check_wait(window.answered_wait(answer.retry_after, now), answer.retry_after, wait);
        break;
      case Says::nothing:
        RC_ASSERT(window.size() == size);
        break;
    }
    check_wait_is_no_shorter(wait);
  }

  void check_refusal(const std::optional<Wait>& begun, bool stale, std::uint32_t size) {
    RC_ASSERT(window.size() == (stale ? size : std::max(1u, size / 2)));
    RC_ASSERT(begun.has_value() == (!stale && size == 1));
    if (!begun) return;
    RC_ASSERT(begun->step == std::clamp(last_step * 2, milliseconds(seconds(1)), milliseconds(seconds(60))));
    last_step = begun->step;
    RC_ASSERT(begun->until == now + begun->step);
  }

  void check_wait(const std::optional<Wait>& begun, milliseconds asked, const std::optional<Wait>& before) {
    const bool longer = !before || now + asked > before->until;
    RC_ASSERT(begun.has_value() == longer);
    if (longer) RC_ASSERT(window.wait()->until == now + asked);
    if (longer) RC_ASSERT(window.size() == 1u);
  }

  void check_wait_is_no_shorter(const std::optional<Wait>& before) {
    if (!before) return;
    RC_ASSERT(window.wait().has_value());
    RC_ASSERT(window.wait()->until >= before->until);
  }

  void take(const Input& input) {
    match(input, [&](const auto& each) { take(each); });
  }
};

RC_GTEST_PROP(AnyWindow, stays_between_one_and_its_maximum_and_is_never_overfilled, ()) {
  World world;
  for (const Input& input : *any_inputs()) {
    const std::size_t in_flight = world.in_flight.size();
    world.take(input);
    RC_ASSERT(world.window.size() >= 1u);
    RC_ASSERT(world.window.size() <= world.max);
    if (world.in_flight.size() > in_flight) RC_ASSERT(world.in_flight.size() <= world.window.size());
  }
}

// Whatever an endpoint did before: once it answers willingly its whole window is back after a bounded number of
// answers, each of them to an attempt that it permitted.
RC_GTEST_PROP(AnyWindow, is_whole_again_once_its_endpoint_stays_willing, ()) {
  World world;
  for (const Input& input : *any_inputs()) world.take(input);
  if (world.window.wait()) world.now = std::max(world.now, world.window.wait()->until);
  const std::uint32_t enough = 2 * world.max * world.max;
  for (std::uint32_t answers = 0; world.window.size() < world.max; ++answers) {
    RC_ASSERT(answers <= enough);
    if (!world.starts()) RC_ASSERT(!world.in_flight.empty());
    world.take(Answer{.attempt = 0, .says = Says::willing, .retry_after = {}});
  }
}

// One attempt at a time, each refused: 1 s, 2 s, 4 s, .. 60 s, and back to 1 s after a willing answer.
RC_GTEST_PROP(AnyWindow, waits_twice_as_long_after_each_refusal_of_its_probe, ()) {
  World world;
  for (const Input& input : *any_inputs()) world.take(input);
  world.in_flight.clear();
  while (world.window.size() > 1) (void)world.window.answered_throttled(world.window.generation(), world.now);
  world.window.answered_willing(world.window.generation());
  while (world.window.size() > 1) (void)world.window.answered_throttled(world.window.generation(), world.now);
  std::vector<milliseconds> waits;
  for (int refusals = 0; refusals < 8; ++refusals) {
    if (world.window.wait()) world.now = std::max(world.now, world.window.wait()->until);
    RC_ASSERT(world.starts());
    world.in_flight.clear();
    const std::optional<Wait> wait = world.window.answered_throttled(world.window.generation(), world.now);
    waits.push_back(wait->until - world.now);
  }
  const std::vector<milliseconds> expected{seconds(1),  seconds(2),  seconds(4),  seconds(8),
                                           seconds(16), seconds(32), seconds(60), seconds(60)};
  RC_ASSERT(waits == expected);
}

RC_GTEST_PROP(AnyWindow, keeps_its_wait_over_a_restart, ()) {
  World world;
  for (const Input& input : *any_inputs()) world.take(input);
  const std::optional<Wait> wait = world.window.wait();
  world.take(Restart{});
  RC_ASSERT(world.window.wait().has_value() == wait.has_value());
  if (wait) RC_ASSERT(world.window.wait()->until == wait->until);
}

}  // namespace
}  // namespace semel::admission
