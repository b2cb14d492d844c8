// promises_test.cc: each way in which a store can break its word is seen and called by its name.
#include "sim/disk/promises.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace semel::sim {
namespace {

// A store that holds what it is given, and answers; then the test takes something away.
class Rows final : public store::StoreReader {
 public:
  std::vector<store::EventView> all_events;
  std::vector<store::Delivery> all_deliveries;
  std::vector<store::Endpoint> all_endpoints;

  // Written as a store does; the answer.
  store::CommitAnswer write(const store::WriteSet& write_set) {
    if (const auto* create = std::get_if<store::CreateEndpoint>(&write_set)) return make(*create);
    if (const auto* intake = std::get_if<store::Intake>(&write_set)) return take(*intake);
    return store::Conflict{};
  }

  Result<std::vector<store::EventView>> events(const store::EventFilter& filter) override {
    std::vector<store::EventView> found;
    for (const store::EventView& event : all_events)
      if (event.key > filter.after.value_or(EventKey{0})) found.push_back(event);
    return found;
  }
  Result<std::vector<store::Delivery>> open_deliveries(DeliveryKey after, std::size_t) override {
    std::vector<store::Delivery> found;
    for (const store::Delivery& delivery : all_deliveries)
      if (delivery.key > after) found.push_back(delivery);
    return found;
  }
  Result<std::optional<store::Delivery>> delivery(DeliveryKey key) override {
    for (const store::Delivery& delivery : all_deliveries)
      if (delivery.key == key) return delivery;
    return std::nullopt;
  }
  Result<std::vector<store::Endpoint>> endpoints(std::optional<TenantKey>) override { return all_endpoints; }
  Result<std::vector<store::AttemptView>> attempts(DeliveryKey) override { return std::vector<store::AttemptView>{}; }

  Result<std::vector<store::Tenant>> tenants() override { return not_asked(); }
  Result<std::optional<store::Endpoint>> endpoint(TenantKey, const EndpointId&) override { return not_asked(); }
  Result<std::optional<store::Endpoint>> endpoint(EndpointKey) override { return not_asked(); }
  Result<std::vector<store::Subscription>> subscriptions(TenantKey) override { return not_asked(); }
  Result<std::vector<store::ApiKeyRow>> api_keys() override { return not_asked(); }
  Result<Sequence> highest_delivered(TenantKey, EndpointKey, LineKey) override { return not_asked(); }
  Result<std::vector<store::EventBody>> event_bodies(const std::vector<EventKey>&) override { return not_asked(); }
  Result<std::optional<store::EventView>> event(TenantKey, const EventId&) override { return not_asked(); }
  Result<std::optional<store::DeliveryView>> delivery(TenantKey, const DeliveryId&) override { return not_asked(); }
  Result<std::vector<store::DeliveryView>> deliveries(const store::DeliveryFilter&) override { return not_asked(); }
  Result<std::vector<store::DeliveryView>> deliveries_of(TenantKey, const EventId&) override { return not_asked(); }

 private:
  static std::unexpected<Error> not_asked() { return fail(Fault::not_found, "the comparison does not ask for this"); }

  store::CommitAnswer make(const store::CreateEndpoint& create) {
    all_endpoints.push_back({.key = EndpointKey{++last_},
                             .tenant = create.tenant,
                             .id = create.id,
                             .version = Version{1},
                             .config_json = create.config_json,
                             .created_at = create.now});
    return store::Committed{all_endpoints.back()};
  }
  store::CommitAnswer take(const store::Intake& intake) {
    store::IntakeAnswer answer;
    for (const intake::Item& item : intake.items) {
      const EventKey key{++last_};
      const Sequence sequence = ++sequences_[*item.submission.ordering_key];
      all_events.push_back({.key = key,
                            .id = {*item.submission.id},
                            .type = item.submission.type,
                            .envelope = fmt::format(R"({{"data":{}}})", item.submission.data),
                            .sequence = sequence,
                            .accepted_at = item.accepted_at});
      all_deliveries.push_back({.key = DeliveryKey{++last_},
                                .tenant = intake.tenant,
                                .event = key,
                                .endpoint = all_endpoints.front().key,
                                .version = Version{1},
                                .state = delivery::Due{item.accepted_at}});
      answer.items.emplace_back(store::Taken{.id = {*item.submission.id},
                                             .sequence = sequence,
                                             .accepted_at = item.accepted_at,
                                             .fresh = {all_deliveries.back()}});
    }
    return store::Committed{std::move(answer)};
  }

  std::int64_t last_ = 0;
  std::map<std::string, Sequence> sequences_;
};

class PromisesTest : public testing::Test {
 protected:
  RecoveryReport report_;
  Promises promises_{Draw(1, "test"), {.ahead_max = 100}, report_};
  Rows rows_;

  // Until so many write-sets of events were asked for, of which the first `answered` are. How many events the last one
  // has.
  std::size_t write_events(int count, int answered) {
    std::size_t events = 0;
    for (int asked_for = 0, turn = 0; asked_for < count; ++turn) {
      SEMEL_CHECK(turn < 10'000);
      std::optional<Promises::Asked> asked = promises_.next(Fence{1});
      if (!asked) continue;
      const auto* intake = std::get_if<store::Intake>(&asked->write_set);
      const bool is_main =
          std::holds_alternative<store::CreateEndpoint>(asked->write_set) && rows_.all_endpoints.empty();
      if (!intake && !is_main) continue;
      const store::CommitAnswer answer = rows_.write(asked->write_set);
      if (is_main || asked_for < answered) asked->answered(answer);
      if (!intake) continue;
      ++asked_for;
      events = intake->items.size();
    }
    return events;
  }
  void compare() {
    promises_.forget_answers();
    ASSERT_TRUE(promises_.compare(rows_));
  }
};

TEST_F(PromisesTest, a_store_that_keeps_its_word_breaks_none) {
  write_events(9, 5);
  compare();
  EXPECT_EQ(report_.breaches(), 0u) << report_.first_breach;
  EXPECT_EQ(report_.acknowledged, 6u);
  EXPECT_GE(report_.doubtful_present, 4u);
}

TEST_F(PromisesTest, what_was_not_acknowledged_may_be_missing) {
  write_events(9, 8);
  const std::size_t before = rows_.all_events.size();
  write_events(1, 0);
  rows_.all_events.resize(before);
  rows_.all_deliveries.resize(before);
  compare();
  EXPECT_EQ(report_.breaches(), 0u) << report_.first_breach;
}

TEST_F(PromisesTest, an_acknowledged_event_that_is_missing_is_lost) {
  write_events(5, 5);
  const std::string last = rows_.all_events.back().id.text;
  rows_.all_events.pop_back();
  compare();
  EXPECT_EQ(report_.lost, 1u);
  EXPECT_EQ(report_.first_breach, last + " was acknowledged and is not there");
}

TEST_F(PromisesTest, an_event_that_is_missing_before_others_is_a_hole) {
  write_events(9, 0);
  const std::string first = rows_.all_events.front().id.text;
  rows_.all_events.erase(rows_.all_events.begin());
  compare();
  EXPECT_GT(report_.holes, 0u);
  EXPECT_NE(report_.first_breach.find(first + " is not"), std::string::npos) << report_.first_breach;
}

TEST_F(PromisesTest, half_a_write_set_is_corrupt) {
  while (write_events(1, 0) < 2) {
  }
  rows_.all_events.pop_back();
  rows_.all_deliveries.pop_back();
  compare();
  EXPECT_EQ(report_.corrupt, 1u);
  EXPECT_EQ(report_.breaches(), 1u);
}

TEST_F(PromisesTest, other_bytes_than_were_written_are_corrupt) {
  write_events(3, 3);
  rows_.all_events.front().envelope = R"({"data":"other"})";
  compare();
  EXPECT_EQ(report_.corrupt, 1u);
}

TEST_F(PromisesTest, an_event_without_its_delivery_is_corrupt) {
  write_events(3, 0);
  rows_.all_deliveries.erase(rows_.all_deliveries.begin());
  compare();
  EXPECT_EQ(report_.corrupt, 1u);
}

TEST_F(PromisesTest, an_acknowledged_endpoint_that_is_missing_is_lost) {
  write_events(1, 1);
  rows_.all_endpoints.clear();
  compare();
  EXPECT_EQ(report_.first_breach, "endpoint main: its creation was acknowledged");
}

TEST_F(PromisesTest, what_was_found_once_has_to_stay) {
  write_events(5, 0);
  compare();
  rows_.all_events.erase(rows_.all_events.begin());
  compare();
  EXPECT_EQ(report_.breaches(), 0u);  // it looks at what is new
  promises_.compare_from_the_start();
  compare();
  EXPECT_GT(report_.holes, 0u);
}

}  // namespace
}  // namespace semel::sim
