// hand_signer.cc: drawn requests with real and false signatures.
#include "sim/workload/hand_signer.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/json.h"

namespace semel::sim {
namespace {

constexpr std::uint64_t kSequences = 8;
constexpr int kSends = 40;

signature::Signer signer_of(const std::string& secret) {
  Result<signature::Secret> parsed = signature::parse_secret(secret);
  SEMEL_CHECK(parsed.has_value());
  std::vector<signature::Signer::Key> keys;
  keys.push_back({*std::move(parsed), {}});
  return signature::Signer(std::move(keys));
}

}  // namespace

HandSigner::HandSigner(Stage& stage, ReceiverNode& receiver)
    : stage_(stage),
      receiver_(receiver),
      host_(stage.ground, "hand", 3),
      draw_(stage.ground.draw.fork("hand signer")),
      signer_(signer_of(receiver.direct_secret())),
      forger_(signer_of(signature::format_secret(signature::make_secret(signature::Scheme::hmac_sha256, draw_)))) {}

void HandSigner::start() { scope_.spawn(run()); }

Co<void> HandSigner::run() {
  for (int i = 0; i < kSends && !stage_.faults_over; ++i) {
    co_await host_.sleep(milliseconds(draw_.skewed(10, 14)));
    co_await send(draw_one());
  }
}

HandSigner::Made HandSigner::ordered(int key, std::uint64_t sequence, std::uint64_t after) {
  Made made{.id = fmt::format("hand-{}-{}", key, sequence), .body = {}};
  JsonWriter json;
  json.object().member("id", made.id).member("type", "hand.signed");
  json.member("accepted_at", format_rfc3339(kWorldBegins)).member("ordering_key", fmt::format("hand-{}", key));
  json.member("sequence", sequence).key("delivery").object().member("endpoint", "ep_hand").member("round", 1);
  json.member("after", after).end().key("data").object().member("sequence", sequence).end();
  made.body = json.end().take();
  return made;
}

HandSigner::Made HandSigner::draw_one() {
  const auto sequence = static_cast<std::uint64_t>(draw_.between(1, kSequences));
  switch (draw_.below(12)) {
    case 0: {  // of another sender: no id inside, no order
      const std::uint64_t n = draw_.below(5);
      return {.id = fmt::format("foreign-{}", n), .body = fmt::format(R"({{"hello":{}}})", n)};
    }
    case 1:
      return {.id = fmt::format("forged-{}", sequence),
              .body = fmt::format(R"({{"id":"forged-{}","type":"hand.signed","data":{{}}}})", sequence),
              .forged = true};
    case 2: {  // a version of a thing, which may be older than what is known
      const std::uint64_t n = draw_.below(1'000'000);
      return {
          .id = fmt::format("version-{}", n),
          .body = fmt::format(
              R"({{"id":"version-{}","type":"hand.signed","correlation_id":"thing","entity_version":{},"data":{{}}}})",
              n, draw_.below(10)),
          .told = false};
    }
    case 3: {  // what the application never takes, however often it is asked
      const std::uint64_t n = draw_.below(3);
      return {.id = fmt::format("refused-{}", n),
              .body = fmt::format(
                  R"({{"id":"refused-{}","type":"{}","delivery":{{"endpoint":"ep_hand","round":{}}},"data":{{}}}})", n,
                  kRefusedType, draw_.between(1, 3)),
              .told = false};
    }
    case 4: {  // as old as an inbox can judge, or older
      const std::uint64_t n = draw_.below(1'000'000);
      const milliseconds age = std::chrono::hours(24) * draw_.between(87, 91);
      return {.id = fmt::format("old-{}", n),
              .body = fmt::format(R"({{"id":"old-{}","type":"hand.signed","accepted_at":"{}","data":{{}}}})", n,
                                  format_rfc3339(host_.process.wall() - age)),
              .told = false};
    }
    default: {  // mostly each after the one before, sometimes as if some had been skipped
      const std::uint64_t after = draw_.happens(percent(75)) ? sequence - 1 : draw_.below(sequence);
      return ordered(static_cast<int>(draw_.below(2)), sequence, after);
    }
  }
}

Co<void> HandSigner::send(Made made) {
  signature::Signer& signer = made.forged ? forger_ : signer_;
  const WallTime now = host_.process.wall();
  ClientHost::Headers headers{{"content-type", "application/json"},
                              {"webhook-id", made.id},
                              {"webhook-timestamp", signature::format_timestamp(now)},
                              {"webhook-signature", signer.sign(made.id, now, made.body)}};
  const Result<http::SimpleAnswer> answer = co_await host_.ask_at(fmt::format("https://{}/hand", receiver_.host()),
                                                                  "POST", std::move(made.body), std::move(headers));
  if (!answer || !made.told) co_return;
  const std::string disposition(answer->header("semel-disposition").value_or(""));
  stage_.witness.tell([&](Checker& checker) {
    checker.inbox_answered({.receiver = receiver_.name(),
                            .source = std::string(kDirectSource),
                            .event = {made.id},
                            .status = answer->status,
                            .disposition = disposition});
  });
}

}  // namespace semel::sim
