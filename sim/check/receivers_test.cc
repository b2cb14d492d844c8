// receivers_test.cc: what is applied twice, out of order, without a record, or not at all is heard of.
#include "sim/check/testing/cases.h"

namespace semel::sim {
namespace {

using std::chrono::seconds;

constexpr auto kHealed = Inspection::When::healed;
constexpr endpoint::Ordering kNone = endpoint::Ordering::none;

// Two events of one key to one endpoint.
struct Pair {
  Story::Delivery first;
  Story::Delivery second;
};
Pair pair_on(Story& story, endpoint::Ordering ordering) {
  story.add_endpoint({.ordering = ordering});
  const auto first = story.accept_one();
  return {first, story.accept_one()};
}
void send(Story& story, const Story::Delivery& delivery) { story.begin(delivery), story.leave(delivery); }
void park(Story& story, const Story::Delivery& delivery) {
  story.attempt(delivery, {.status = 202, .disposition = "parked"}, {.result = "parked", .delay = seconds(30)});
}

TEST(NoDuplicateEffect, hears_of_an_event_applied_twice) {
  expect_heard({
      {"under one id", "I-NO-DUP-EFFECT",
       [](Story& story) {
         const auto delivery = pair_on(story, kNone).first;
         send(story, delivery), story.apply(delivery), story.apply(delivery);
       }},
      {"under two ids", "I-NO-DUP-EFFECT",
       [](Story& story) {
         const auto delivery = pair_on(story, kNone).first;
         send(story, delivery), story.apply(delivery);
         story.apply(delivery, [](Effect& effect) { effect.event = {"evt_9"}, effect.key.reset(); });
       }},
  });
}

TEST(InboxAtomic, hears_of_an_effect_or_a_record_alone) {
  expect_heard({
      {"no record", "I-INBOX-ATOMIC",
       [](Story& story) {
         story.deliver(pair_on(story, kNone).first);
         story.receiver().records.clear();
         story.inspect(kHealed);
       }},
      {"no effect", "I-INBOX-ATOMIC",
       [](Story& story) {
         const auto delivery = pair_on(story, kNone).first;
         story.receiver().records.push_back(
             {.source = "shop", .event = {"evt_1"}, .endpoint = delivery.endpoint, .applied = true});
         story.inspect(kHealed);
       }},
      {"a record of a refusal", "",
       [](Story& story) {
         const auto delivery = pair_on(story, kNone).first;
         story.receiver().records.push_back(
             {.source = "shop", .event = {"evt_1"}, .endpoint = delivery.endpoint, .applied = false});
         story.inspect(kHealed);
       }},
  });
}

TEST(Conserve, hears_of_money_that_is_made_or_lost) {
  static const auto transfer = [](Story& story) {
    story.add_endpoint({.ordering = kNone});
    const auto debit = story.accept_one({.key = "from", .type = "transfer.debit", .amount = -7});
    return Pair{debit, story.accept_one({.key = "to", .type = "transfer.credit", .amount = 7})};
  };
  expect_heard({
      {"both halves", "",
       [](Story& story) {
         const Pair halves = transfer(story);
         story.deliver(halves.first), story.deliver(halves.second), story.end();
       }},
      {"one half is delivered and not applied", "I-CONSERVE",
       [](Story& story) {
         const Pair halves = transfer(story);
         story.deliver(halves.first), story.attempt(halves.second, {}, {}), story.end();
       }},
      {"one half is applied twice", "I-CONSERVE",
       [](Story& story) {
         const Pair halves = transfer(story);
         story.deliver(halves.first), story.deliver(halves.second);
         story.apply(halves.second, [](Effect& effect) { effect.event = {"evt_9"}; });
         story.end();
       }},
  });
}

TEST(OrderKey, hears_of_a_key_out_of_order) {
  expect_heard({
      {"applied backwards", "I-ORDER-KEY",
       [](Story& story) {
         const Pair events = pair_on(story, kNone);
         send(story, events.second), story.apply(events.second);
         send(story, events.first), story.apply(events.first);
       }},
      {"the producer meant it otherwise", "I-ORDER-KEY",
       [](Story& story) {
         const Pair events = pair_on(story, kNone);
         story.deliver(events.first), send(story, events.second);
         story.apply(events.second, [](Effect& effect) { effect.data = "{\"n\":1,\"i\":0}"; });
       }},
      {"the later event under the sequence of the one before", "I-ORDER-KEY",
       [](Story& story) {
         const Pair events = pair_on(story, kNone);
         story.deliver(events.first), send(story, events.second);
         story.apply(events.second, [](Effect& effect) { effect.sequence = 1; });
       }},
      {"sent while the one before is due", "I-ORDER-KEY",
       [](Story& story) { story.begin(pair_on(story, endpoint::Ordering::per_key).second); }},
      {"sent while the one before is dead", "I-ORDER-KEY",
       [](Story& story) {
         const Pair events = pair_on(story, endpoint::Ordering::per_key);
         story.attempt(events.first, {.status = 500}, {.result = "dead"});
         story.begin(events.second);
       }},
      {"sent while the one before is due, where no order is asked for", "",
       [](Story& story) { story.begin(pair_on(story, kNone).second); }},
      {"sent while the one before is sent again", "",
       [](Story& story) {
         const Pair events = pair_on(story, endpoint::Ordering::per_key);
         story.deliver(events.first), story.replay(events.first), story.begin(events.second);
       }},
  });
}

TEST(Park, hears_of_what_comes_before_its_predecessor_or_is_not_kept) {
  static const auto without_after = [](WireRequest& request) {
    const std::size_t at = request.body.find(",\"after\"");
    request.body.erase(at, request.body.find('}', at) - at);
  };
  static const auto after_nine = [](WireRequest& request) {
    request.body.replace(request.body.find("\"after\":0"), 9, "\"after\":9");
  };
  expect_heard({
      {"nobody is named", "I-PARK",
       [](Story& story) {
         const auto delivery = pair_on(story, kNone).first;
         story.begin(delivery), story.leave(delivery, without_after);
       }},
      {"another one is named", "I-PARK",
       [](Story& story) {
         const auto delivery = pair_on(story, kNone).first;
         story.begin(delivery), story.leave(delivery, after_nine);
       }},
      {"applied before it", "I-PARK",
       [](Story& story) {
         const auto delivery = pair_on(story, kNone).second;
         send(story, delivery), story.apply(delivery);
       }},
      {"parked and kept", "",
       [](Story& story) {
         park(story, pair_on(story, kNone).second);
         story.receiver().parked_now = 1;
         story.inspect(kHealed);
       }},
      {"parked and not kept", "I-PARK",
       [](Story& story) {
         park(story, pair_on(story, kNone).second);
         story.inspect(kHealed);
       }},
      {"parked, then applied", "",
       [](Story& story) {
         const Pair events = pair_on(story, kNone);
         park(story, events.second), story.deliver(events.first), story.deliver(events.second), story.end();
       }},
  });
}

TEST(ParkTerminal, hears_of_waiting_that_nobody_sees_or_ends) {
  static const auto behind_a_dead_one = [](Story& story) {
    const Pair events = pair_on(story, endpoint::Ordering::per_key);
    story.attempt(events.first, {.status = 500}, {.result = "dead"});
    return events.second;
  };
  expect_heard({
      {"it says for whom", "",
       [](Story& story) {
         const auto waiting = behind_a_dead_one(story);
         story.row(waiting).blocked_by = EventId{"evt_1"};
         story.inspect(kHealed);
       }},
      {"it does not say for whom", "I-PARK-TERMINAL",
       [](Story& story) {
         behind_a_dead_one(story);
         story.inspect(kHealed);
       }},
      {"it says for somebody else", "I-PARK-TERMINAL",
       [](Story& story) {
         const auto waiting = behind_a_dead_one(story);
         story.row(waiting).blocked_by = EventId{"evt_9"};
         story.inspect(kHealed);
       }},
      {"nobody holds it", "I-PARK-TERMINAL",
       [](Story& story) {
         const auto first = pair_on(story, endpoint::Ordering::per_key).first;
         story.row(first).blocked_by = EventId{"evt_2"};
         story.inspect(kHealed);
       }},
      {"a receiver keeps something for ever", "I-PARK-TERMINAL",
       [](Story& story) {
         story.add_endpoint({});
         story.receiver().parked_now = 1;
         story.end();
       }},
      {"a delivery is parked for ever", "I-PARK-TERMINAL",
       [](Story& story) {
         park(story, pair_on(story, kNone).second);
         story.end();
       }},
  });
}

}  // namespace
}  // namespace semel::sim
