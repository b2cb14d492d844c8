// rig.h: what end-to-end tests stand on: the programs, a folder of their own, a server that answers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/testing/temp_folder.h"
#include "support/api_client.h"
#include "support/semel_server.h"
#include "support/wait.h"

namespace semel::tests {

inline constexpr milliseconds kPatience{20'000};

// A policy that tries again soon and never gives up within a test.
inline constexpr std::string_view kQuickPolicy =
    R"("retry_policy":{"base":"50ms","factor":2,"max_delay":"500ms","max_elapsed":"5m","jitter":"none"})";

class Rig : public ::testing::Test {
 protected:
  harness::SemelServer make_server(std::vector<std::pair<std::string, std::string>> environment = {}) {
    return harness::SemelServer({.program = SEMEL_TEST_PROGRAM,
                                 .folder = folder_.path(),
                                 .arguments = {},
                                 .environment = std::move(environment)});
  }
  harness::SemelListener make_listener(std::vector<std::string> faults = {},
                                       std::vector<std::pair<std::string, std::string>> environment = {}) {
    return harness::SemelListener({.program = SEMEL_TEST_PROGRAM,
                                   .folder = folder_.path(),
                                   .sources = {{"semel", secret_}},
                                   .faults = std::move(faults),
                                   .environment = std::move(environment)});
  }
  // An endpoint for every type, with the rig's secret; fails the test when it is refused.
  std::string make_endpoint(const harness::SemelServer& server, const std::string& url,
                            std::string_view further_members) {
    const Result<std::string> id = server.api().create_endpoint(
        {.url = url,
         .members = std::string(R"("event_types":["*"],"secret":")") + secret_ + "\"," + std::string(further_members)});
    EXPECT_TRUE(id) << (id ? "" : id.error().note);
    return id.value_or("");
  }

  TempFolder folder_;
  std::string secret_ = harness::random_webhook_secret();
};

// The delivery of an event that has one.
inline std::string only_delivery(const harness::ApiAnswer& accepted) {
  const std::optional<JsonValue> deliveries = accepted.root().find("deliveries");
  return deliveries && deliveries->size() == 1 ? harness::text_of(deliveries->at(0), "id") : std::string();
}

// "result reason" of the first outcome of the number-th attempt of a shown delivery; empty when there is none.
inline std::string outcome_of(const harness::ApiAnswer& delivery, std::size_t number) {
  const std::optional<JsonValue> attempts = delivery.root().find("attempt_list");
  if (!attempts || attempts->size() < number) return {};
  const std::optional<JsonValue> outcomes = attempts->at(number - 1).find("outcomes");
  if (!outcomes || outcomes->size() == 0) return {};
  return harness::text_of(outcomes->at(0), "result") + " " + harness::text_of(outcomes->at(0), "reason");
}

inline std::string note_of(const auto& result) { return result ? std::string() : result.error().note; }

}  // namespace semel::tests
