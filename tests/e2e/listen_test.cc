// listen_test.cc: the receiver over the wire: what it parks survives a kill and is applied in order when the gap
// closes.
#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "core/signature/signature.h"
#include "support/ledger.h"
#include "support/rig.h"

namespace semel::tests {
namespace {

class Listen : public Rig {
 protected:
  // What `semel serve` would send as event n of one ordering key.
  harness::HttpRequest event(int n) const {
    const WallTime now{
        std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count()};
    const std::string id = fmt::format("evt_{}", n);
    const std::string body = fmt::format(
        R"({{"id":"{}","type":"shipment.moved","timestamp":"{}","accepted_at":"{}","tenant":"default","ordering_key":"SHP-1","sequence":{},)"
        R"("delivery":{{"endpoint":"ep_1","round":1,"after":{}}},"data":{{"n":{}}}}})",
        id, format_rfc3339(now), format_rfc3339(now), n, n - 1, n);
    signature::Signer signer({{.secret = *signature::parse_secret(secret_), .window = {}}});
    return {.method = "POST",
            .target = "/",
            .headers = {{"content-type", "application/json"},
                        {"webhook-id", id},
                        {"webhook-timestamp", signature::format_timestamp(now)},
                        {"webhook-signature", signer.sign(id, now, body)}},
            .body = body};
  }
  static std::string disposition(const harness::SemelListener& listener, const harness::HttpRequest& request) {
    harness::HttpClient client(listener.port());
    const Result<harness::HttpAnswer> answered = client.send(request);
    EXPECT_TRUE(answered) << note_of(answered);
    return answered ? fmt::format("{} {}", answered->status, answered->header("semel-disposition")) : std::string();
  }
};

TEST_F(Listen, what_is_parked_survives_a_kill_and_is_applied_in_order_once_the_gap_closes) {
  harness::SemelListener listener = make_listener();
  ASSERT_TRUE(listener.start());
  for (const int n : {4, 2, 3}) EXPECT_EQ(disposition(listener, event(n)), "202 parked");
  EXPECT_EQ(disposition(listener, event(2)), "202 parked");
  listener.kill();
  const Result<void> started = listener.start();
  ASSERT_TRUE(started) << note_of(started);
  EXPECT_EQ(disposition(listener, event(3)), "202 parked");

  EXPECT_EQ(disposition(listener, event(1)), "200 applied");
  EXPECT_TRUE(harness::wait_until([&] { return effects_in(listener.ledger()) == 4; }, kPatience));
  for (const int n : {1, 2, 3, 4}) EXPECT_EQ(disposition(listener, event(n)), "200 duplicate");
  ASSERT_TRUE(listener.stop());

  std::ifstream ledger(listener.ledger());
  int n = 0;
  for (std::string line; std::getline(ledger, line);)
    EXPECT_TRUE(line.contains(fmt::format("\"evt_{}\"", ++n))) << line;
  EXPECT_EQ(n, 4);
}

TEST_F(Listen, refuses_what_is_not_signed_with_its_secret_and_keeps_nothing_of_it) {
  harness::SemelListener listener = make_listener();
  ASSERT_TRUE(listener.start());
  harness::HttpRequest forged = event(1);
  forged.body.replace(forged.body.find("SHP-1"), 5, "SHP-2");
  EXPECT_EQ(disposition(listener, forged), "401 ");
  EXPECT_EQ(disposition(listener, event(1)), "200 applied");
}

}  // namespace
}  // namespace semel::tests
