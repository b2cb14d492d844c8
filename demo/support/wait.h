// wait.h: waiting for a condition of another process, with a deadline.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/time.h"
#include "support/api_client.h"

namespace semel::harness {

// Whether `condition` became true in time; it is asked every 10 ms.
template <class Condition>
bool wait_until(Condition condition, milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return true;
}

// The first GET of `target` for which `good(answer)` holds; nullopt when none came in time.
template <class Good>
std::optional<ApiAnswer> wait_for_answer(ApiClient& api, const std::string& target, Good good, milliseconds timeout) {
  std::optional<ApiAnswer> found;
  wait_until(
      [&] {
        Result<ApiAnswer> answer = api.get(target);
        if (answer && good(*answer)) found = std::move(*answer);
        return found.has_value();
      },
      timeout);
  return found;
}

// The delivery when it is in this state.
inline std::optional<ApiAnswer> wait_for_state(ApiClient& api, const std::string& delivery, std::string_view state,
                                               milliseconds timeout) {
  return wait_for_answer(
      api, "/v1/deliveries/" + delivery, [&](const ApiAnswer& answer) { return answer.text("state") == state; },
      timeout);
}

}  // namespace semel::harness
