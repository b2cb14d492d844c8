// interop_test.cc: signatures against public libraries: both accept what semel sends, and semel listen accepts what
// both sign.
#include <fmt/format.h>

#include "base/bytes.h"
#include "base/json.h"
#include "support/ledger.h"
#include "support/process.h"
#include "support/rig.h"
#include "support/scripted_receiver.h"

namespace semel::tests {
namespace {

class Interop : public Rig {
 protected:
  static std::string node(const char* script, std::string input) {
    const Result<harness::Finished> finished =
        harness::run({.program = "node",
                      .arguments = {std::string(SEMEL_INTEROP_FOLDER "/") + script},
                      .environment = {},
                      .input = std::move(input)},
                     kPatience);
    EXPECT_TRUE(finished) << note_of(finished);
    return finished ? finished->output : std::string();
  }
};

TEST_F(Interop, standardwebhooks_and_svix_accept_what_semel_sends_and_refuse_it_when_it_is_altered) {
  ScriptedReceiver receiver([](const Received&, std::size_t) { return answer(200); });
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  make_endpoint(server, receiver.url(), kQuickPolicy);
  ASSERT_TRUE(server.api().post("/v1/events",
                                R"({"type":"shipment.created","ordering_key":"Köln-1","data":{"place":"Ōsaka"}})"));
  ASSERT_TRUE(receiver.wait_for(1));
  const Received request = receiver.received().front();

  const auto verify = [&](const std::string& body) {
    JsonWriter json;
    json.object().member("secret", secret_).key("headers").object();
    for (const char* name : {"webhook-id", "webhook-timestamp", "webhook-signature"})
      json.member(name, request.header(name));
    return node("verify.mjs", json.end().member("body_base64", to_base64(body)).end().take());
  };
  EXPECT_EQ(verify(request.body), "standardwebhooks accepted\nsvix accepted\n");
  std::string altered = request.body;
  altered.insert(altered.size() - 1, " ");
  EXPECT_EQ(verify(altered),
            "standardwebhooks refused No matching signature found\nsvix refused No matching signature found\n");
}

TEST_F(Interop, listen_applies_what_standardwebhooks_and_svix_sign_and_knows_it_when_it_comes_again) {
  harness::SemelListener listener = make_listener();
  ASSERT_TRUE(listener.start());
  const std::string signed_messages = node(
      "sign.mjs",
      fmt::format(
          R"({{"secret":"{}","messages":[{{"id":"msg-1","body":"{{\"id\":\"msg-1\",\"type\":\"user.created\",\"data\":{{}}}}"}},)"
          R"({{"id":"msg-2","body":"{{\"hello\":\"Grüße\"}}"}}]}})",
          secret_));
  const Result<JsonDocument> document = parse_json(signed_messages);
  ASSERT_TRUE(document) << signed_messages;
  ASSERT_EQ(document->root().size(), 4u);
  for (std::size_t i = 0; i < document->root().size(); ++i) {
    const JsonValue message = document->root().at(i);
    const harness::HttpRequest request{.method = "POST",
                                       .target = "/",
                                       .headers = {{"content-type", "application/json"},
                                                   {"webhook-id", harness::text_of(message, "id")},
                                                   {"webhook-timestamp", harness::text_of(message, "timestamp")},
                                                   {"webhook-signature", harness::text_of(message, "signature")}},
                                       .body = harness::text_of(message, "body")};
    harness::HttpClient client(listener.port());
    for (const char* disposition : {"applied", "duplicate"}) {
      const Result<harness::HttpAnswer> answered = client.send(request);
      ASSERT_TRUE(answered) << note_of(answered);
      EXPECT_EQ(answered->status, 200) << answered->body;
      EXPECT_EQ(answered->header("semel-disposition"), disposition) << request.body;
    }
    harness::HttpRequest altered = request;
    altered.body += " ";
    const Result<harness::HttpAnswer> refused = client.send(altered);
    ASSERT_TRUE(refused) << note_of(refused);
    EXPECT_EQ(refused->status, 401) << refused->body;
  }
  ASSERT_TRUE(listener.stop());
  EXPECT_EQ(effects_in(listener.ledger()), 4);
}

}  // namespace
}  // namespace semel::tests
