// differential_test.cc: the store in memory and the one on SQLite are given the same, step by step, and have to say the
// same: to every write-set, and at the end to every question.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "edge/sqlite/test_store.h"
#include "sim/disk/sim_disk.h"
#include "sim/kernel/draw.h"
#include "sim/store/memory_reader.h"
#include "sim/store/memory_store.h"
#include "sim/store/tables.h"
#include "sim/store/testing/drawn_write_sets.h"
#include "sim/store/testing/in_words.h"

namespace semel::sim {
namespace {

constexpr TenantKey kTenant{1};

class Both {
 public:
  explicit Both(std::uint64_t seed)
      : faults_(seed, {}, {}),
        disk_({.name = "differential", .crash_wanted = {}, .between_checkpoint_steps = [](std::string_view) {}},
              Draw(seed, "disk"), faults_, trace_),
        on_file_({.path = folder_.file("semel.db"), .vfs = disk_.vfs()}) {
    open_memory();
  }

  void reopen() {
    on_file_.reopen();
    open_memory();
  }
  Fence fence() const { return in_memory_->fence(); }
  MemoryReader& reader() { return reader_; }

  // The group's answers of either, in words.
  std::pair<std::vector<std::string>, std::vector<std::string>> commit(const std::vector<store::WriteSet>& group) {
    std::vector<std::string> memory(group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      in_memory_->start_commit(group[i],
                               [&memory, i](const store::CommitAnswer& answer) { memory[i] = in_words(answer); });
    lanes_.drain();
    std::vector<std::string> file;
    for (const store::CommitAnswer& answer : on_file_.commit_group(group)) file.push_back(in_words(answer));
    return {std::move(memory), std::move(file)};
  }

  template <class F>
  void expect_same(const std::string& question, F ask) {
    EXPECT_EQ(in_words(ask(reader_)), on_file_.read([&](store::StoreReader& reader) { return in_words(ask(reader)); }))
        << question;
  }

 private:
  void open_memory() {
    lanes_.drain();
    in_memory_ = open_memory_store(rows_, secrets_, random_, lanes_).value();
    ASSERT_EQ(in_memory_->fence(), on_file_.store().fence());
  }

  Trace trace_;
  Faults faults_;
  SimDisk disk_;
  TempFolder folder_;  // of the lock file
  sqlite::TestStore on_file_;

  MemoryRows rows_;
  MemoryReader reader_{rows_.tables()};
  sqlite::PlainSecrets secrets_;
  SeededRandom random_{7};  // as TestStore's
  sqlite::InlineLanes lanes_;
  std::unique_ptr<store::Store> in_memory_;
};

using Reader = store::StoreReader;

void expect_same_lists(Both& both) {
  both.expect_same("tenants", [](Reader& r) { return r.tenants(); });
  both.expect_same("endpoints", [](Reader& r) { return r.endpoints(std::nullopt); });
  both.expect_same("api keys", [](Reader& r) { return r.api_keys(); });
  for (const TenantKey tenant : {TenantKey{1}, TenantKey{2}}) {
    both.expect_same("endpoints of a tenant", [&](Reader& r) { return r.endpoints(tenant); });
    both.expect_same("subscriptions", [&](Reader& r) { return r.subscriptions(tenant); });
    both.expect_same("events of a tenant", [&](Reader& r) { return r.events({.tenant = tenant}); });
    both.expect_same("deliveries of a tenant", [&](Reader& r) { return r.deliveries({.tenant = tenant}); });
  }
  for (const std::size_t limit : {std::size_t{3}, std::size_t{1'000}})
    for (const DeliveryKey after : {DeliveryKey{0}, DeliveryKey{20}})
      both.expect_same("open deliveries", [&](Reader& r) { return r.open_deliveries(after, limit); });
}

void expect_same_pages(Both& both) {
  for (const char* type : {"order.made", "x.y.z", "nothing"})
    both.expect_same("events of a type", [&](Reader& r) {
      return r.events({.tenant = kTenant, .type = type, .after = EventKey{3}, .limit = 20});
    });
  both.expect_same("events since", [](Reader& r) {
    return r.events({.tenant = kTenant, .since = WallTime{1'796'024'771'000}, .limit = 1'000});
  });
  for (const char* correlation : {"c0", "c1", "c9"})
    both.expect_same("events of a correlation", [&](Reader& r) {
      return r.events({.tenant = kTenant, .correlation_id = correlation, .limit = 5});
    });
  using enum delivery::StateName;
  std::vector<std::optional<delivery::StateName>> states{due, in_flight, unknown, parked, delivered, dead, cancelled};
  states.emplace_back();
  for (const auto state : states)
    for (const bool blocked_only : {false, true}) {
      both.expect_same("deliveries of a state", [&](Reader& r) {
        return r.deliveries({.tenant = kTenant, .state = state, .blocked_only = blocked_only, .limit = 1'000});
      });
      both.expect_same("deliveries of a state and endpoint", [&](Reader& r) {
        return r.deliveries({.tenant = kTenant,
                             .state = state,
                             .blocked_only = blocked_only,
                             .endpoint = EndpointId{"ep_1"},
                             .after = DeliveryKey{5},
                             .limit = 3});
      });
    }
}

void expect_same_rows(Both& both) {
  std::vector<EventKey> events;
  for (EventKey key{1}; key.value <= 40; ++key.value) events.push_back(key);
  both.expect_same("event bodies", [&](Reader& r) { return r.event_bodies(events); });
  for (const std::string& name : DrawnWriteSets::event_names()) {
    both.expect_same("event " + name, [&](Reader& r) { return r.event(kTenant, {name}); });
    both.expect_same("deliveries of " + name, [&](Reader& r) { return r.deliveries_of(kTenant, {name}); });
    for (const std::string& endpoint : DrawnWriteSets::endpoint_names())
      both.expect_same("delivery " + name + "." + endpoint,
                       [&](Reader& r) { return r.delivery(kTenant, DeliveryId{{name}, {endpoint}}); });
  }
  for (const std::string& endpoint : DrawnWriteSets::endpoint_names())
    both.expect_same("endpoint " + endpoint, [&](Reader& r) { return r.endpoint(kTenant, EndpointId{endpoint}); });
  for (EndpointKey endpoint{0}; endpoint.value <= 12; ++endpoint.value) {
    both.expect_same("endpoint by key", [&](Reader& r) { return r.endpoint(endpoint); });
    for (LineKey line{0}; line.value <= 6; ++line.value)
      both.expect_same("highest delivered", [&](Reader& r) { return r.highest_delivered(kTenant, endpoint, line); });
  }
  for (DeliveryKey key{0};; ++key.value) {
    both.expect_same("delivery by key", [&](Reader& r) { return r.delivery(key); });
    both.expect_same("attempts", [&](Reader& r) { return r.attempts(key); });
    if (key.value > 0 && !*both.reader().delivery(key)) break;
  }
}

// What happened, and how often.
using Seen = std::map<std::string, int>;

std::string kind_of(const store::WriteSet& write_set) {
  constexpr std::array<const char*, std::variant_size_v<store::WriteSet>> kKinds{"intake",
                                                                                 "start",
                                                                                 "settle",
                                                                                 "late outcome",
                                                                                 "change",
                                                                                 "create endpoint",
                                                                                 "delete endpoint",
                                                                                 "create subscription",
                                                                                 "delete subscription",
                                                                                 "create key",
                                                                                 "delete key"};
  return kKinds[write_set.index()];
}

std::string outcome_of(const std::string& answer) {
  const std::size_t words = answer.starts_with("refused") ? answer.find(' ', answer.find(' ') + 1) : answer.find(' ');
  return answer.substr(0, words);
}

void note(Seen& seen, const store::WriteSet& write_set, const std::string& answer) {
  ++seen[kind_of(write_set) + " " + outcome_of(answer)];
  if (answer.starts_with("committed [] true")) ++seen["batch key reused"];
  if (std::holds_alternative<store::Intake>(write_set) && answer.ends_with("false true")) ++seen["batch replayed"];
  for (const char* why : {"not taken 0", "not taken 1", "not taken 2", "not taken 3", "not taken 4", "not taken 5"})
    if (answer.contains(why)) ++seen[why];
}

// Without these the comparison would say little.
constexpr std::array kMustBeSeen{"intake committed",
                                 "intake refused invalid",
                                 "intake refused not_found",
                                 "intake refused corrupt",
                                 "start committed",
                                 "start conflict",
                                 "start refused corrupt",
                                 "settle committed",
                                 "settle conflict",
                                 "settle refused corrupt",
                                 "late outcome committed",
                                 "late outcome refused not_found",
                                 "late outcome refused corrupt",
                                 "change committed",
                                 "change conflict",
                                 "create endpoint committed",
                                 "create endpoint refused conflict",
                                 "create endpoint refused not_found",
                                 "create endpoint refused corrupt",
                                 "delete endpoint committed",
                                 "delete endpoint refused not_found",
                                 "create subscription committed",
                                 "create subscription refused conflict",
                                 "create subscription refused not_found",
                                 "delete subscription committed",
                                 "delete subscription refused not_found",
                                 "create key committed",
                                 "create key refused conflict",
                                 "create key refused not_found",
                                 "delete key committed",
                                 "delete key refused not_found",
                                 "batch key reused",
                                 "batch replayed",
                                 "not taken 0",
                                 "not taken 1",
                                 "not taken 2",
                                 "not taken 3",
                                 "not taken 4",
                                 "not taken 5",
                                 "due",
                                 "in_flight",
                                 "unknown",
                                 "parked",
                                 "delivered",
                                 "dead",
                                 "cancelled",
                                 "blocked"};

void run_seed(std::uint64_t seed, Seen& seen) {
  constexpr int kSteps = 300;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Both both(seed);
  DrawnWriteSets drawn(seed);
  Draw draw(seed, "groups");
  for (int step = 0; step < kSteps;) {
    std::vector<store::WriteSet> group;
    for (std::uint64_t left = 1 + draw.below(6); left > 0; --left, ++step)
      group.push_back(drawn.next(both.reader(), both.fence()));
    const auto [memory, file] = both.commit(group);
    for (std::size_t i = 0; i < group.size(); ++i) {
      ASSERT_EQ(memory[i], file[i]) << kind_of(group[i]) << ", at about step " << step;
      note(seen, group[i], memory[i]);
    }
    if (draw.below(60) == 0) both.reopen();
    if (draw.below(20) == 0) expect_same_lists(both);
    if (testing::Test::HasFailure()) return;
  }
  expect_same_lists(both);
  expect_same_pages(both);
  expect_same_rows(both);
  for (const char* state : {"due", "in_flight", "unknown", "parked", "delivered", "dead", "cancelled"})
    if (in_words(both.reader().deliveries({.tenant = kTenant, .limit = 500})).contains(state)) ++seen[state];
  if (!both.reader().deliveries({.tenant = kTenant, .blocked_only = true})->empty()) ++seen["blocked"];
}

TEST(StoresSideBySide, say_the_same_to_every_write_set_and_to_every_question) {
  constexpr std::uint64_t kSeeds = 200;
  Seen seen;
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) run_seed(seed, seen);
  if (HasFailure()) return;
  for (const char* what : kMustBeSeen) EXPECT_GT(seen[what], 0) << what;
}

}  // namespace
}  // namespace semel::sim
