// policy_test.cc: the schedules, number by number.
#include "core/retry/policy.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace semel::retry {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kFirst{1'000'000};

// Always the lowest or the highest draw.
class Extreme final : public Random {
 public:
  explicit Extreme(bool high) : word_(high ? ~0ull : 0ull) {}
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(word_);
  }
  std::uint64_t next() override { return word_; }

 private:
  std::uint64_t word_;
};

milliseconds delay_of(const NextTry& next, WallTime now) { return std::get<TryAgain>(next).at - now; }

bool is_over(const NextTry& next) { return std::holds_alternative<RoundOver>(next); }

struct Row {
  std::uint32_t counted;
  milliseconds low;
  milliseconds high;
};

TEST(NamedPolicy, standard_waits_its_ten_steps_with_ten_percent_jitter) {
  const std::array<Row, 9> rows{{{1, milliseconds(4'500), milliseconds(5'500)},
                                 {2, milliseconds(270'000), milliseconds(330'000)},
                                 {3, minutes(27), minutes(33)},
                                 {4, minutes(108), minutes(132)},
                                 {5, minutes(270), minutes(330)},
                                 {6, hours(9), hours(11)},
                                 {7, minutes(756), minutes(924)},
                                 {8, hours(18), hours(22)},
                                 {9, minutes(1296), minutes(1584)}}};
  for (const Row& row : rows) {
    const RoundProgress progress{.counted = row.counted, .clock_origin = kFirst, .last_delay = {}};
    Extreme low(false);
    Extreme high(true);
    EXPECT_EQ(delay_of(next_try(Named::standard, progress, kFirst, low), kFirst), row.low) << row.counted;
    EXPECT_EQ(delay_of(next_try(Named::standard, progress, kFirst, high), kFirst), row.high) << row.counted;
  }
}

TEST(NamedPolicy, standard_is_over_after_the_tenth_counted_failure) {
  Extreme random(false);
  EXPECT_TRUE(
      is_over(next_try(Named::standard, {.counted = 10, .clock_origin = kFirst, .last_delay = {}}, kFirst, random)));
}

TEST(NamedPolicy, five_minutes_waits_1_4_16_64_seconds_then_tries_last_300_seconds_after_the_first) {
  const std::array<Row, 4> rows{{{1, milliseconds(900), milliseconds(1'100)},
                                 {2, milliseconds(3'600), milliseconds(4'400)},
                                 {3, milliseconds(14'400), milliseconds(17'600)},
                                 {4, milliseconds(57'600), milliseconds(70'400)}}};
  for (const Row& row : rows) {
    const RoundProgress progress{.counted = row.counted, .clock_origin = kFirst, .last_delay = {}};
    Extreme low(false);
    Extreme high(true);
    EXPECT_EQ(delay_of(next_try(Named::five_minutes, progress, kFirst, low), kFirst), row.low) << row.counted;
    EXPECT_EQ(delay_of(next_try(Named::five_minutes, progress, kFirst, high), kFirst), row.high) << row.counted;
  }
  Extreme any(true);
  const WallTime fifth_failed = kFirst + seconds(90);
  const NextTry last =
      next_try(Named::five_minutes, {.counted = 5, .clock_origin = kFirst, .last_delay = {}}, fifth_failed, any);
  EXPECT_EQ(std::get<TryAgain>(last).at, kFirst + seconds(300));  // without jitter
  EXPECT_TRUE(is_over(next_try(Named::five_minutes, {.counted = 6, .clock_origin = kFirst, .last_delay = {}},
                               kFirst + seconds(301), any)));
}

TEST(NamedPolicy, five_minutes_waits_no_longer_than_300_seconds_when_the_clock_was_set_back) {
  Extreme any(false);
  const WallTime back = kFirst - seconds(1'800);
  EXPECT_EQ(std::get<TryAgain>(
                next_try(Named::five_minutes, {.counted = 5, .clock_origin = kFirst, .last_delay = {}}, back, any))
                .at,
            back + seconds(300));
}

TEST(NamedPolicy, five_minutes_tries_last_at_once_when_300_seconds_have_passed_already) {
  Extreme any(false);
  const WallTime late = kFirst + seconds(400);
  EXPECT_EQ(std::get<TryAgain>(
                next_try(Named::five_minutes, {.counted = 5, .clock_origin = kFirst, .last_delay = {}}, late, any))
                .at,
            late);
}

Spelled spelled(Jitter jitter) {
  return {.base = milliseconds(50),
          .factor = 2.0,
          .max_delay = seconds(2),
          .max_elapsed = minutes(10),
          .max_attempts = {},
          .jitter = jitter};
}

TEST(SpelledPolicy, doubles_up_to_its_longest_delay) {
  const std::array<std::pair<std::uint32_t, int>, 8> rows{
      {{1, 50}, {2, 100}, {3, 200}, {4, 400}, {5, 800}, {6, 1600}, {7, 2000}, {8, 2000}}};
  Extreme any(false);
  for (const auto& [counted, ms] : rows)
    EXPECT_EQ(delay_of(next_try(spelled(Jitter::none), {.counted = counted, .clock_origin = kFirst, .last_delay = {}},
                                kFirst, any),
                       kFirst),
              milliseconds(ms))
        << counted;
}

TEST(SpelledPolicy, each_jitter_has_its_range) {
  struct JitterRow {
    Jitter jitter;
    std::optional<milliseconds> last;
    int low;
    int high;
  };
  // The third failure: 200 ms without jitter.
  const std::array<JitterRow, 5> rows{{{Jitter::none, {}, 200, 200},
                                       {Jitter::full, {}, 1, 200},
                                       {Jitter::equal, {}, 100, 200},
                                       {Jitter::decorrelated, {}, 50, 150},
                                       {Jitter::decorrelated, milliseconds(400), 50, 1200}}};
  for (const JitterRow& row : rows) {
    const RoundProgress progress{.counted = 3, .clock_origin = kFirst, .last_delay = row.last};
    Extreme low(false);
    Extreme high(true);
    EXPECT_EQ(delay_of(next_try(spelled(row.jitter), progress, kFirst, low), kFirst), milliseconds(row.low));
    EXPECT_EQ(delay_of(next_try(spelled(row.jitter), progress, kFirst, high), kFirst), milliseconds(row.high));
  }
}

// Overflowing shifts and powers have turned long back-offs into none at all elsewhere.
TEST(SpelledPolicy, no_failure_count_makes_a_delay_negative_zero_or_longer_than_allowed) {
  SeededRandom random(7);
  for (const Jitter jitter : {Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated}) {
    Spelled policy = spelled(jitter);
    policy.max_elapsed.reset();
    policy.max_attempts = 1'000'000;
    policy.factor = 100.0;
    std::optional<milliseconds> last;
    for (std::uint32_t counted = 1; counted <= 10'000; ++counted) {
      const NextTry next =
          next_try(policy, {.counted = counted, .clock_origin = kFirst, .last_delay = last}, kFirst, random);
      const TryAgain& again = std::get<TryAgain>(next);
      last = again.delay;
      ASSERT_GT(again.delay, milliseconds(0)) << counted;
      ASSERT_LE(again.delay, seconds(2)) << counted;
    }
  }
}

TEST(SpelledPolicy, has_one_last_try_at_the_end_of_its_time_and_is_over_after_it) {
  Extreme any(false);
  const RoundProgress progress{.counted = 50, .clock_origin = kFirst, .last_delay = {}};
  const WallTime just_before = kFirst + minutes(10) - milliseconds(1);
  EXPECT_EQ(std::get<TryAgain>(next_try(spelled(Jitter::none), progress, just_before, any)).at, kFirst + minutes(10));
  EXPECT_TRUE(is_over(next_try(spelled(Jitter::none), progress, kFirst + minutes(10), any)));
}

TEST(SpelledPolicy, makes_exactly_max_attempts) {
  Spelled policy = spelled(Jitter::none);
  policy.max_elapsed.reset();
  policy.max_attempts = 3;
  Extreme any(false);
  EXPECT_FALSE(is_over(next_try(policy, {.counted = 2, .clock_origin = kFirst, .last_delay = {}}, kFirst, any)));
  EXPECT_TRUE(is_over(next_try(policy, {.counted = 3, .clock_origin = kFirst, .last_delay = {}}, kFirst, any)));
}

TEST(ParseDuration, takes_whole_numbers_with_a_unit) {
  const std::vector<std::pair<std::string_view, milliseconds>> good{{"50ms", milliseconds(50)}, {"2s", seconds(2)},
                                                                    {"10m", minutes(10)},       {"3h", hours(3)},
                                                                    {"14d", hours(24 * 14)},    {"0s", seconds(0)}};
  for (const auto& [text, duration] : good) EXPECT_EQ(parse_duration(text).value(), duration) << text;
  for (const char* bad : {"", "5", "ms", "-1s", "1.5s", "1 s", "1S", "9223372036854775807h", "99999999999999999999s"})
    EXPECT_FALSE(parse_duration(bad).has_value()) << bad;
}

Result<Policy> parse(std::string_view json) {
  const Result<JsonDocument> document = parse_json(json);
  EXPECT_TRUE(document.has_value());
  return parse_policy(document->root());
}

TEST(ParsePolicy, reads_back_what_it_wrote) {
  for (const char* json : {R"("standard")", R"("five-minutes")",
                           R"({"base":50,"factor":2,"max_delay":2000,"max_elapsed":600000,"jitter":"full"})",
                           R"({"base":1,"factor":1.5,"max_delay":10,"max_attempts":7,"jitter":"decorrelated"})"})
    EXPECT_EQ(policy_json(parse(json).value()), json);
  EXPECT_EQ(policy_json(parse(R"({"base":"50ms","factor":2,"max_delay":"2s","max_elapsed":"10m"})").value()),
            R"({"base":50,"factor":2,"max_delay":2000,"max_elapsed":600000,"jitter":"full"})");
}

TEST(ParsePolicy, refuses_what_it_cannot_keep) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows{
      {R"("weekly")", "standard"},
      {R"(7)", "standard"},
      {R"({"base":50})", "max_attempts or max_elapsed"},
      {R"({"bse":50,"max_attempts":3})", "base"},
      {R"({"base":0,"max_attempts":3})", "base is a duration"},
      {R"({"factor":0.5,"max_attempts":3})", "factor"},
      {R"({"factor":"2","max_attempts":3})", "factor"},
      {R"({"max_attempts":0})", "max_attempts"},
      {R"({"max_attempts":1001})", "max_attempts"},
      {R"({"max_attempts":3,"jitter":"some"})", "jitter"},
      {R"({"base":"2s","max_delay":"1s","max_attempts":3})", "max_delay is at least base"}};
  for (const auto& [json, expected] : rows) {
    const Result<Policy> policy = parse(json);
    ASSERT_FALSE(policy.has_value()) << json;
    EXPECT_NE(policy.error().note.find(expected), std::string::npos) << policy.error().note;
  }
}

}  // namespace
}  // namespace semel::retry
