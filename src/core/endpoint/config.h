// config.h: what an operator says about an endpoint, read and checked.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/json.h"
#include "core/egress/url.h"
#include "core/retry/judge.h"

namespace semel::endpoint {

inline constexpr milliseconds kTimeoutDefault{15'000};
inline constexpr milliseconds kTimeoutMin{1'000};
inline constexpr milliseconds kTimeoutMax{30'000};
inline constexpr std::uint32_t kMaxInFlightDefault = 16;
inline constexpr std::uint32_t kMaxInFlightMax = 256;

enum class Ordering : std::uint8_t { none = 0, per_key = 1 };
const char* name_of(Ordering ordering);

struct Config {
  egress::Url url;
  Ordering ordering = Ordering::none;
  retry::JudgeRules rules;
  milliseconds timeout = kTimeoutDefault;
  std::uint32_t max_in_flight = kMaxInFlightDefault;
};

// What is wrong with a member, for the problem answer.
struct ConfigError {
  std::string code;  // MEMBER_UNKNOWN, MEMBER_INVALID, NOT_SUPPORTED_YET, URL_INVALID, DESTINATION_DENIED, ..
  std::string member;
  std::string note;
};

// The body of POST /v1/endpoints. `event_types` is shorthand for one subscription; `secret` (whsec_.. or whsk_..) is
// the operator's own, else one is made; `signature`: "v1" (default) or "v1a". Values that come later (`on_dead: skip`,
// `on_unknown: hold|ask`, `status_query`) are refused by name.
struct NewEndpoint {
  Config config;
  std::optional<std::vector<std::string>> event_types;
  std::optional<std::string> secret;
  bool asymmetric = false;  // make an Ed25519 key when no secret was given
};
std::expected<NewEndpoint, ConfigError> read_new_endpoint(const JsonValue& object, const egress::EgressRules& rules);

// The stored form of a Config, and back (Fault::corrupt).
std::string config_json(const Config& config);
Result<Config> read_config_json(std::string_view json);

}  // namespace semel::endpoint
