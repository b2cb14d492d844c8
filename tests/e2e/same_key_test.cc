// same_key_test.cc: many that send the same request under the same key at the same moment.
#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include "support/rig.h"

namespace semel::tests {
namespace {

constexpr int kProducers = 32;

class SameKey : public Rig {};

TEST_F(SameKey, sent_by_32_at_once_makes_one_event_and_everyone_gets_its_answer) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  std::latch ready(kProducers);
  std::mutex mutex;
  std::set<std::string> bodies;
  int originals = 0;
  std::vector<std::jthread> producers;
  for (int producer = 0; producer < kProducers; ++producer)
    producers.emplace_back([&] {
      ready.arrive_and_wait();
      const Result<harness::ApiAnswer> answer =
          server.api().post("/v1/events", R"({"type":"shipment.moved","ordering_key":"SHP-1","data":{}})",
                            {{"idempotency-key", "\"one\""}});
      const std::lock_guard lock(mutex);
      ASSERT_TRUE(answer) << note_of(answer);
      EXPECT_EQ(answer->status(), 202) << answer->body();
      bodies.insert(std::string(answer->body()));
      originals += answer->http().header("idempotent-replayed").empty() ? 1 : 0;
    });
  producers.clear();
  EXPECT_EQ(bodies.size(), 1u);
  EXPECT_EQ(originals, 1);
  const Result<harness::ApiAnswer> stored = server.api().get("/v1/events");
  ASSERT_TRUE(stored) << note_of(stored);
  EXPECT_EQ(stored->root().find("events")->size(), 1u);
}

}  // namespace
}  // namespace semel::tests
