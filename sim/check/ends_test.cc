// ends_test.cc: what does not arrive, is said to who must not know, or is left over is heard of.
#include "sim/check/testing/cases.h"

namespace semel::sim {
namespace {

using std::chrono::seconds;

constexpr auto kHealed = Inspection::When::healed;

Story::Delivery given(Story& story, Story::EndpointPlan plan = {}) {
  story.add_endpoint(std::move(plan));
  return story.accept_one();
}
void die(Story& story, const Story::Delivery& delivery) {
  story.attempt(delivery, {.status = 500}, {.result = "dead"});
}

// An endpoint for invoices, whose further subscription to shipments has come as far as `last`.
void subscribe(Story& story, SubscriptionStage last) {
  const KnownSubscription further{
      .number = 1, .endpoint = story.add_endpoint({.event_types = {"invoice.*"}}), .event_types = {"shipment.*"}};
  for (auto stage = SubscriptionStage::asked; stage <= last; stage = SubscriptionStage(static_cast<int>(stage) + 1))
    story.tell([&](Checker& checker) { checker.subscription_is(further, stage); });
}

TEST(AtLeastOnce, hears_of_what_is_not_sent_and_of_what_does_not_arrive) {
  static const auto drop_all = [](store::Taken& taken) { taken.endpoints.clear(), taken.fresh.clear(); };
  expect_heard({
      {"an endpoint is passed over", "I-AT-LEAST-ONCE",
       [](Story& story) {
         story.add_endpoint({});
         story.store.deliveries.clear();
         story.accept({}, drop_all);
       }},
      {"it does not take the type", "",
       [](Story& story) {
         story.add_endpoint({.event_types = {"invoice.*"}});
         story.accept({}, drop_all);
       }},
      {"it takes all of its kind", "I-AT-LEAST-ONCE",
       [](Story& story) {
         story.add_endpoint({.event_types = {"shipment.*"}});
         story.accept({}, drop_all);
       }},
      {"it gets what it does not take", "I-AT-LEAST-ONCE",
       [](Story& story) {
         story.add_endpoint({.event_types = {"invoice.*"}});
         story.accept({}, {}, [](SubmissionAnswer& answer) { answer.accepted[0].endpoints = {{"ep_1"}}; });
       }},
      {"it is asked to go", "",
       [](Story& story) {
         const EndpointId id = story.add_endpoint({});
         story.tell([&](Checker& checker) { checker.endpoint_delete_asked(id); });
         story.accept({}, drop_all);
       }},
      {"it is gone", "I-AT-LEAST-ONCE",
       [](Story& story) {
         const EndpointId id = story.add_endpoint({});
         story.tell([&](Checker& checker) { checker.endpoint_delete_asked(id), checker.endpoint_deleted(id); });
         story.accept({});
       }},
      {"a further subscription takes it", "I-AT-LEAST-ONCE",
       [](Story& story) {
         subscribe(story, SubscriptionStage::made);
         story.accept({}, drop_all);
       }},
      {"a further subscription was only asked for", "",
       [](Story& story) {
         subscribe(story, SubscriptionStage::asked);
         story.accept({}, drop_all);
       }},
      {"a further subscription that was asked for takes it", "",
       [](Story& story) {
         subscribe(story, SubscriptionStage::asked);
         story.accept({}, {}, [](SubmissionAnswer& answer) { answer.accepted[0].endpoints = {{"ep_1"}}; });
       }},
      {"a further subscription is asked to go", "",
       [](Story& story) {
         subscribe(story, SubscriptionStage::delete_asked);
         story.accept({}, drop_all);
       }},
      {"a further subscription was gone", "I-AT-LEAST-ONCE",
       [](Story& story) {
         subscribe(story, SubscriptionStage::deleted);
         story.accept({}, {}, [](SubmissionAnswer& answer) { answer.accepted[0].endpoints = {{"ep_1"}}; });
       }},
      {"it was taken in before an endpoint was made", "",
       [](Story& story) {
         story.add_endpoint({});
         story.accept({}, drop_all, [](SubmissionAnswer& answer) { answer.accepted[0].duplicate = true; });
       }},
      {"it was taken in before a further subscription went", "",
       [](Story& story) {
         subscribe(story, SubscriptionStage::deleted);
         story.accept({}, {}, [](SubmissionAnswer& answer) {
           answer.accepted[0].endpoints = {{"ep_1"}};
           answer.accepted[0].duplicate = true;
         });
       }},
      {"it was taken in before, for who does not take it", "I-AT-LEAST-ONCE",
       [](Story& story) {
         story.add_endpoint({.event_types = {"invoice.*"}});
         story.accept({}, {}, [](SubmissionAnswer& answer) {
           answer.accepted[0].endpoints = {{"ep_1"}};
           answer.accepted[0].duplicate = true;
         });
       }},
      {"it is due in the end", "I-AT-LEAST-ONCE",
       [](Story& story) {
         given(story);
         story.end();
       }},
      {"it is dead in the end", "I-AT-LEAST-ONCE",
       [](Story& story) {
         die(story, given(story));
         story.end();
       }},
      {"nobody cancelled it", "I-AT-LEAST-ONCE",
       [](Story& story) {
         story.row(given(story)).state = delivery::Cancelled{};
         story.end();
       }},
      {"it is delivered and not applied", "I-AT-LEAST-ONCE",
       [](Story& story) {
         story.attempt(given(story), {}, {});
         story.end();
       }},
      {"a hostile one has what it has", "",
       [](Story& story) {
         story.attempt(given(story, {.kind = ReceiverKind::hostile}), {}, {});
         story.end();
       }},
  });
}

TEST(DeadLetterComplete, hears_of_dead_letters_that_forget) {
  static const auto shown = [](Story& story, const std::string& members) {
    die(story, given(story));
    const std::string body =
        R"({"deliveries":[{"id":"evt_1.ep_1","event_id":"evt_1","endpoint_id":"ep_1","state":"dead")" + members + "}]}";
    story.tell([&](Checker& checker) { checker.api_answered("/v1/deliveries", 200, body); });
  };
  expect_heard({
      {"all is there", "",
       [](Story& story) {
         die(story, given(story));
         story.inspect(kHealed);
       }},
      {"its sequence is gone", "I-DLQ-COMPLETE",
       [](Story& story) {
         const auto delivery = given(story);
         die(story, delivery);
         story.row(delivery).sequence.reset();
         story.inspect(Inspection::When::restarted);
       }},
      {"its reason is gone", "I-DLQ-COMPLETE",
       [](Story& story) {
         const auto delivery = given(story);
         die(story, delivery);
         story.row(delivery).state = delivery::Dead{};
         story.inspect(Inspection::When::restarted);
       }},
      {"its attempts are gone", "I-DLQ-COMPLETE",
       [](Story& story) {
         const auto delivery = given(story);
         die(story, delivery);
         story.rows(delivery).clear();
         story.inspect(kHealed);
       }},
      {"shown as it is", "",
       [](Story& story) { shown(story, R"(,"ordering_key":"k","sequence":1,"reason":"attempts_exhausted")"); }},
      {"shown without its sequence", "I-DLQ-COMPLETE",
       [](Story& story) { shown(story, R"(,"ordering_key":"k","reason":"attempts_exhausted")"); }},
      {"shown without a reason", "I-DLQ-COMPLETE",
       [](Story& story) { shown(story, R"(,"ordering_key":"k","sequence":1)"); }},
  });
}

TEST(HeadOfLineIsolation, hears_of_a_probe_that_leaves_late_or_never) {
  static const auto probe = [](Story& story) {
    story.add_endpoint({});
    story.heal();
    return story.accept_one({.key = "probe-1", .type = "probe.1"});
  };
  expect_heard({
      {"soon", "",
       [](Story& story) {
         const auto delivery = probe(story);
         story.pass(seconds(2)), story.deliver(delivery), story.end();
       }},
      {"late", "I-HOL-ISOLATION",
       [](Story& story) {
         const auto delivery = probe(story);
         story.pass(seconds(4)), story.deliver(delivery);
       }},
      {"never", "I-HOL-ISOLATION",
       [](Story& story) {
         probe(story);
         story.end();
       }},
  });
}

TEST(SsrfPeer, hears_of_connections_to_nowhere_allowed) {
  expect_heard({
      {"the metadata service", "I-SSRF-PEER",
       [](Story& story) {
         story.tell([](Checker& checker) {
           checker.connect_asked(kServerProcess, *egress::parse_socket_address("169.254.169.254:80"));
         });
       }},
      {"another port of a receiver", "I-SSRF-PEER",
       [](Story& story) {
         story.tell([](Checker& checker) {
           checker.connect_asked(kServerProcess, *egress::parse_socket_address("93.184.1.1:22"));
         });
       }},
  });
}

TEST(SignatureAll, hears_of_bytes_that_nobody_signed) {
  static const auto sent = [](Story& story, std::string secret, const Story::But<WireRequest>& but) {
    const auto delivery = given(story, {.secret = std::move(secret)});
    story.begin(delivery), story.leave(delivery, but);
  };
  static const std::string kSeed = "whsk_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
  static const std::string kKey = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
  static const auto forge = [](WireRequest& request) {
    request.headers.emplace_back("webhook-signature", "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  };
  static const auto sign_otherwise = [](WireRequest& request) {
    request.headers[1].second = "1";  // the signature is made for another time
  };
  expect_heard({
      {"by HMAC", "", [](Story& story) { sent(story, kKey, {}); }},
      {"by Ed25519", "", [](Story& story) { sent(story, kSeed, {}); }},
      {"forged", "I-SIG-ALL", [](Story& story) { sent(story, kKey, forge); }},
      {"forged where Ed25519 is due", "I-SIG-ALL", [](Story& story) { sent(story, kSeed, forge); }},
      {"of another time", "I-SIG-ALL", [](Story& story) { sent(story, kKey, sign_otherwise); }},
      {"of another time, by Ed25519", "I-SIG-ALL", [](Story& story) { sent(story, kSeed, sign_otherwise); }},
  });
}

TEST(SecretZero, hears_of_secrets_wherever_they_stand) {
  static const std::string kText = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY";
  static const std::string kBytes = "0123456789abcdef0123456789abcdef";
  expect_heard({
      {"in a log", "I-SECRET-ZERO",
       [](Story& story) {
         story.add_endpoint({});
         story.tell([](Checker& checker) { checker.logged(kServerProcess, "made secret=whsec_" + kText); });
       }},
      {"its bytes in a file", "I-SECRET-ZERO",
       [](Story& story) {
         story.add_endpoint({});
         story.tell([](Checker& checker) { checker.bytes_stored("semel.db", "page" + kBytes + "page"); });
       }},
      {"in a header", "I-SECRET-ZERO",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery);
         story.leave(delivery, [](WireRequest& request) { request.headers.emplace_back("x", kText); });
       }},
      {"the operator's key in an answer", "I-SECRET-ZERO",
       [](Story& story) {
         story.tell([](Checker& checker) {
           checker.api_answered("/v1/keys", 200, "{\"key\":\"operatorsecretoperatorsecretoperator\"}");
         });
       }},
      {"in the answer that makes it", "",
       [](Story& story) {
         story.add_endpoint({});
         story.tell([](Checker& checker) { checker.api_answered("/v1/endpoints", 201, "whsec_" + kText); });
       }},
      {"unsealed in the store", "I-SECRET-ZERO",
       [](Story& story) {
         story.commit(store::CreateEndpoint{.tenant = {1},
                                            .id = {"ep_1"},
                                            .config_json = "{}",
                                            .sealed_secret = "whsec_" + kText + "=",
                                            .now = {},
                                            .subscription = {}});
         story.add_endpoint({});
         story.inspect(kHealed);
       }},
      {"all but its last character", "",
       [](Story& story) {
         story.add_endpoint({});
         story.tell([](Checker& checker) { checker.logged("x", kText.substr(0, kText.size() - 1)); });
       }},
  });
}

TEST(Bounded, hears_of_what_grows) {
  expect_heard({
      {"a line of parked events", "I-BOUNDED",
       [](Story& story) {
         story.add_endpoint({});
         story.receiver().parked_in_a_line_max = 1'001;
         story.inspect(kHealed);
       }},
      {"a line of the log", "I-BOUNDED",
       [](Story& story) { story.tell([](Checker& checker) { checker.logged("server", std::string(5'000, 'x')); }); }},
      {"a log about nothing", "I-BOUNDED",
       [](Story& story) {
         for (int i = 0; i < 300; ++i)
           story.tell([](Checker& checker) { checker.logged("server", std::string(1'000, 'x')); });
       }},
      {"connections to endpoints", "I-BOUNDED",
       [](Story& story) { story.tell([](Checker& checker) { checker.connection_opened(8'193, 0); }); }},
      {"connections to clients", "I-BOUNDED",
       [](Story& story) { story.tell([](Checker& checker) { checker.connection_opened(0, 1'090); }); }},
      {"as many connections as there may be", "",
       [](Story& story) { story.tell([](Checker& checker) { checker.connection_opened(8'192, 1'089); }); }},
  });
}

TEST(Quiesce, hears_of_what_is_left) {
  expect_heard({
      {"open", "I-QUIESCE",
       [](Story& story) {
         story.store.open_in_memory = 1;
         story.end();
       }},
      {"in flight", "I-QUIESCE",
       [](Story& story) {
         story.store.in_flight_in_memory = 1;
         story.end();
       }},
      {"before the end", "",
       [](Story& story) {
         story.store.open_in_memory = 1;
         story.inspect(kHealed);
       }},
  });
}

}  // namespace
}  // namespace semel::sim
