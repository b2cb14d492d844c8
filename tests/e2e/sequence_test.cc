// sequence_test.cc: one ordering key, 64 producers at once, and a server that is killed under them.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "support/rig.h"

namespace semel::tests {
namespace {

constexpr int kProducers = 64;
constexpr int kEventsEach = 10;
constexpr int kKills = 3;

class Sequence : public Rig {};

TEST_F(Sequence, of_64_producers_of_one_key_has_no_hole_and_no_double_across_kills) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  std::mutex mutex;
  std::multiset<std::int64_t> sequences;
  std::atomic<bool> give_up = false;
  std::atomic<std::size_t> told = 0;

  std::vector<std::jthread> producers;
  for (int producer = 0; producer < kProducers; ++producer)
    producers.emplace_back([&, producer] {
      for (int n = 0; n < kEventsEach; ++n) {
        const std::string key = "\"p" + std::to_string(producer) + "-" + std::to_string(n) + "\"";
        while (!give_up) {  // a fresh connection each time: kills leave dead ones behind
          const Result<harness::ApiAnswer> answer =
              server.api().post("/v1/events", R"({"type":"shipment.moved","ordering_key":"SHP-1","data":{}})",
                                {{"idempotency-key", key}});
          if (!answer || answer->status() != 202) continue;
          const std::lock_guard lock(mutex);
          sequences.insert(harness::number_of(answer->root(), "sequence"));
          ++told;
          break;
        }
      }
    });

  constexpr std::size_t all = kProducers * kEventsEach;
  for (int kill = 1; kill <= kKills; ++kill) {
    EXPECT_TRUE(
        harness::wait_until([&] { return told >= all * static_cast<std::size_t>(kill) / (kKills + 1); }, kPatience));
    server.kill();
    const Result<void> started = server.start();
    EXPECT_TRUE(started) << note_of(started);
  }
  give_up = !harness::wait_until([&] { return told == all; }, kPatience);
  producers.clear();

  std::multiset<std::int64_t> expected;
  for (std::int64_t n = 1; n <= static_cast<std::int64_t>(all); ++n) expected.insert(n);
  EXPECT_EQ(sequences, expected);
}

}  // namespace
}  // namespace semel::tests
