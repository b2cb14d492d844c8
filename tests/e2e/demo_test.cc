// demo_test.cc: the main job under kills and lost answers, as a person runs it, and the small scenarios.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "base/testing/temp_folder.h"
#include "support/api_client.h"
#include "support/process.h"
#include "support/rig.h"

namespace semel::tests {
namespace {

constexpr milliseconds kDemoMax{120'000};

// Runs it, expects exit code 0, and gives the last line back.
std::string last_line_of(const harness::Command& command) {
  const Result<harness::Finished> finished = harness::run(command, kDemoMax);
  EXPECT_TRUE(finished) << note_of(finished);
  if (!finished) return {};
  EXPECT_EQ(finished->exit.code, 0) << finished->output;
  std::string output = finished->output;
  while (output.ends_with('\n')) output.pop_back();
  return output.substr(output.rfind('\n') + 1);
}

harness::Command demo(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "--semel", SEMEL_PROGRAM});
  return {.program = SEMEL_DEMO_PROGRAM, .arguments = std::move(arguments), .environment = {}, .input = {}};
}

void expect_applied_once(const std::string& line, std::int64_t pairs, std::int64_t kills) {
  const Result<JsonDocument> document = parse_json(line);
  ASSERT_TRUE(document) << line;
  const JsonValue root = document->root();
  EXPECT_EQ(harness::text_of(root, "accepted"), std::to_string(pairs)) << line;
  EXPECT_EQ(harness::text_of(root, "applied"), std::to_string(pairs)) << line;
  for (const char* none : {"lost", "duplicate_effects", "out_of_order", "dead"})
    EXPECT_EQ(harness::text_of(root, none), "0") << none << ": " << line;
  EXPECT_EQ(harness::text_of(root, "kills"), std::to_string(kills)) << line;
  // Answers were really lost, and attempts really repeated.
  EXPECT_GT(harness::number_of(root, "duplicate_deliveries"), 0) << line;
  EXPECT_GT(harness::number_of(root, "attempts"), pairs) << line;
}

TEST(Demo, a_thousand_events_and_ten_kills_lose_nothing_and_apply_nothing_twice) {
  // Few ordering keys, so that successors overtake and the receiver has to park them.
  const std::string line =
      last_line_of(demo({"--events", "1000", "--ordering-keys", "8", "--kills", "10", "--deadline", "100"}));
  expect_applied_once(line, 2'000, 10);
  EXPECT_FALSE(line.contains(R"("parked":0,)")) << line;
}

TEST(Demo, the_payloads_of_a_large_real_sender_arrive_byte_for_byte_under_kills) {
  const TempFolder folder;
  const Result<harness::Finished> written =
      harness::run({.program = "node",
                    .arguments = {SEMEL_INTEROP_FOLDER "/payloads.mjs", folder.path().string()},
                    .environment = {},
                    .input = {}},
                   kPatience);
  ASSERT_TRUE(written) << note_of(written);
  ASSERT_EQ(written->output, "329\n") << "tests/interop/package.json is not installed in " SEMEL_INTEROP_FOLDER;
  expect_applied_once(last_line_of(demo({"--payloads", folder.path().string(), "--kills", "4", "--deadline", "100"})),
                      658, 4);
}

TEST(Demo, the_scenarios_turn_out_as_told) {
  for (const char* name : {"lost-ack", "lost-dedup"})
    EXPECT_EQ(last_line_of({.program = SEMEL_SCENARIO_PROGRAM,
                            .arguments = {name, "--semel", SEMEL_PROGRAM},
                            .environment = {},
                            .input = {}}),
              "It turned out as told.")
        << name;
}

}  // namespace
}  // namespace semel::tests
