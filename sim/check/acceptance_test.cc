// acceptance_test.cc: what is lost, doubled, renamed or let through between a producer and the store is heard of.
#include "sim/check/testing/cases.h"

namespace semel::sim {
namespace {

constexpr auto kRestarted = Inspection::When::restarted;

// Two events of a key, delivered, over a restart.
TEST(Checkers, say_nothing_about_a_history_without_a_fault) {
  Story story;
  story.add_endpoint({});
  const auto first = story.accept_one();
  const auto second = story.accept_one();
  story.fail(first);
  story.pass(std::chrono::seconds(5));
  story.deliver(first);
  story.restart();
  story.deliver(second);
  story.heal();
  story.inspect(Inspection::When::healed);
  story.end();
  EXPECT_EQ(story.who(), "");
}

TEST(Checkers, have_names_of_their_own) {
  const Known known;
  std::set<std::string_view> names;
  const auto checkers = make_checkers(known, [](std::string_view, std::string) {});
  for (const auto& checker : checkers) EXPECT_TRUE(names.insert(checker->name()).second) << checker->name();
  EXPECT_GE(names.size(), 27u);
}

TEST(AckDurable, hears_of_what_was_answered_and_is_not_there_or_not_the_same) {
  expect_heard({
      {"an event is gone", "I-ACK-DURABLE",
       [](Story& story) {
         story.accept({});
         story.store.events.clear();
         story.inspect(kRestarted);
       }},
      {"its sequence is another", "I-ACK-DURABLE",
       [](Story& story) {
         story.accept({});
         story.store.events[0].sequence = 2;
         story.inspect(kRestarted);
       }},
      {"its ordering key is another", "I-ACK-DURABLE",
       [](Story& story) {
         story.accept({});
         story.store.events[0].ordering_key = "other";
         story.inspect(kRestarted);
       }},
      {"a delivery is gone", "I-ACK-DURABLE",
       [](Story& story) {
         story.add_endpoint({});
         story.accept({});
         story.store.deliveries.clear();
         story.inspect(kRestarted);
       }},
      {"a delivery was not answered", "I-ACK-DURABLE",
       [](Story& story) {
         story.add_endpoint({});
         story.accept({}, {}, [](SubmissionAnswer& answer) { answer.accepted[0].endpoints.clear(); });
         story.inspect(kRestarted);
       }},
      {"a settlement is gone", "I-ACK-DURABLE",
       [](Story& story) {
         story.add_endpoint({});
         const auto delivery = story.accept_one();
         story.begin(delivery);
         const store::DeliveryView before = story.row(delivery);
         story.leave(delivery), story.answer(delivery), story.settle(delivery);
         story.row(delivery) = before;
         story.restart();
       }},
      {"nobody was answered, and it is gone", "",
       [](Story& story) {
         const Submission asked = story.submission(1, {.number = 1, .type = "t", .key = {}, .data = "{\"n\":1}"});
         story.tell([&](Checker& checker) { checker.submitted(asked); });
         story.restart();
       }},
      {"nobody heard of the commit, and it is there", "",
       [](Story& story) {
         story.add_endpoint({});
         const auto delivery = story.accept_one();
         story.crash();
         ++story.row(delivery).version.value;
         story.inspect(kRestarted);
       }},
  });
}

TEST(NoHole, hears_of_gaps_in_sequences_and_in_the_producers_own_count) {
  expect_heard({
      {"a sequence is missing", "I-NO-HOLE",
       [](Story& story) {
         for (int i = 0; i < 3; ++i) story.accept({});
         story.store.events.erase(story.store.events.begin() + 1);
         story.inspect(kRestarted);
       }},
      {"the first is missing", "I-NO-HOLE",
       [](Story& story) {
         for (int i = 0; i < 2; ++i) story.accept({});
         story.store.events.erase(story.store.events.begin());
         story.inspect(kRestarted);
       }},
      {"one of the producer's events was passed over", "I-NO-HOLE",
       [](Story& story) {
         const Submission skipped =
             story.submission(9, {.number = 9, .type = "t", .key = "k", .index = 1, .data = "{\"n\":9,\"i\":1}"});
         story.tell([&](Checker& checker) { checker.submitted(skipped); });
         story.store.events.push_back({.key = {1},
                                       .id = {"evt_9"},
                                       .type = "t",
                                       .envelope = "{\"id\":\"evt_9\",\"data\":{\"n\":9,\"i\":1}}",
                                       .ordering_key = "k",
                                       .sequence = 1,
                                       .correlation_id = {},
                                       .accepted_at = {}});
         story.inspect(kRestarted);
       }},
      {"keys do not touch each other", "",
       [](Story& story) {
         story.accept({.key = "a"}), story.accept({.key = "b"}), story.accept({.key = "a"}), story.accept({.key = {}});
         story.restart();
       }},
  });
}

void answer_other_content(Story& story, int status, bool accepted) {
  story.accept({});
  Submission other = story.submission(1, {.number = 2, .type = "t", .key = {}, .data = "{\"n\":2}"});
  SubmissionAnswer answer{.status = status, .accepted = {}, .body = {}};
  if (accepted) answer.accepted.push_back({.number = 1, .id = {"evt_1"}, .sequence = 1, .endpoints = {}});
  story.tell([&](Checker& checker) { checker.submitted(other); });
  story.tell([&](Checker& checker) { checker.answered(other, answer); });
}

TEST(IdempotencyFingerprint, hears_of_other_content_under_a_bound_key) {
  expect_heard({
      {"it is accepted", "I-IDEM-FP", [](Story& story) { answer_other_content(story, 202, true); }},
      {"it is refused for another reason", "I-IDEM-FP", [](Story& story) { answer_other_content(story, 404, false); }},
      {"it is refused with 422", "", [](Story& story) { answer_other_content(story, 422, false); }},
      {"nobody knows yet", "", [](Story& story) { answer_other_content(story, 503, false); }},
  });
}

TEST(StableId, hears_of_anything_that_changes_between_two_attempts) {
  static const auto second_attempt = [](Story& story, const Story::But<WireRequest>& but) {
    story.add_endpoint({});
    const auto delivery = story.accept_one();
    story.fail(delivery);
    story.pass(std::chrono::seconds(5));
    story.begin(delivery);
    story.leave(delivery, but);
  };
  static const auto rename = [](WireRequest& request, std::string_view from, const std::string& to) {
    const std::size_t at = request.body.find(from);
    ASSERT_NE(at, std::string::npos);
    request.body.replace(at, from.size(), to);
  };
  expect_heard({
      {"nothing", "", [](Story& story) { second_attempt(story, [](WireRequest&) {}); }},
      {"the id", "I-STABLE-ID",
       [](Story& story) { second_attempt(story, [](WireRequest& request) { request.headers[0].second = "evt_x"; }); }},
      {"the id in the body", "I-STABLE-ID",
       [](Story& story) { second_attempt(story, [](WireRequest& request) { rename(request, "evt_1", "evt_x"); }); }},
      {"the data", "I-STABLE-ID",
       [](Story& story) {
         second_attempt(story, [](WireRequest& request) { rename(request, "\"i\":0", "\"i\":7"); });
       }},
      {"the round within a round", "I-STABLE-ID",
       [](Story& story) {
         second_attempt(story, [](WireRequest& request) { rename(request, "\"round\":1", "\"round\":2"); });
       }},
      {"the endpoint it names", "I-STABLE-ID",
       [](Story& story) { second_attempt(story, [](WireRequest& request) { rename(request, "ep_1", "ep_x"); }); }},
      {"the ordering key", "I-STABLE-ID",
       [](Story& story) { second_attempt(story, [](WireRequest& request) { request.headers[3].second = "j"; }); }},
      {"the sequence is gone", "I-STABLE-ID",
       [](Story& story) { second_attempt(story, [](WireRequest& request) { request.headers.pop_back(); }); }},
      {"a replay under another id", "I-STABLE-ID",
       [](Story& story) {
         story.add_endpoint({});
         const auto delivery = story.accept_one();
         story.deliver(delivery), story.replay(delivery), story.begin(delivery);
         story.leave(delivery, [](WireRequest& request) { request.headers[0].second = "evt_x"; });
       }},
      {"a replay says its round", "",
       [](Story& story) {
         story.add_endpoint({});
         const auto delivery = story.accept_one();
         story.deliver(delivery), story.replay(delivery), story.begin(delivery), story.leave(delivery);
       }},
      {"the stored envelope is not what was sent", "I-STABLE-ID",
       [](Story& story) {
         story.add_endpoint({});
         story.deliver(story.accept_one());
         story.store.events[0].envelope = "{\"id\":\"evt_1\",\"data\":{\"n\":1,\"i\":1}}";
         story.end();
       }},
      {"one event has two ids", "I-STABLE-ID",
       [](Story& story) {
         story.accept({}, {}, [](SubmissionAnswer& answer) { answer.accepted[0].id = {"evt_other"}; });
       }},
  });
}

}  // namespace
}  // namespace semel::sim
