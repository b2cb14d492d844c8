// endpoint_config_fuzz.cc: what an operator may say about an endpoint keeps its bounds, and what is stored of it is
// read back as it was written.
#include "core/endpoint/config.h"

#include <string>

#include "api/problem.h"
#include "core/routing/pattern.h"
#include "core/signature/signature.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using endpoint::Config;
using endpoint::NewEndpoint;

egress::EgressRules loopback_allowed() { return {.allowed = {*egress::parse_allowed_range("127.0.0.0/8:1-65535")}}; }

void check_refusal(const endpoint::ConfigError& error) {
  SEMEL_CHECK(api::problem_kind(error.code).code == error.code);
  SEMEL_CHECK(is_plain(error.note));
}

void check_stored(std::string_view json) {
  const Result<Config> config = endpoint::read_config_json(json);
  if (!config) {
    SEMEL_CHECK(config.error().fault == Fault::corrupt);
    return;
  }
  SEMEL_CHECK(config->timeout >= endpoint::kTimeoutMin && config->timeout <= endpoint::kTimeoutMax);
  SEMEL_CHECK(config->max_in_flight >= 1 && config->max_in_flight <= endpoint::kMaxInFlightMax);
  const std::string text = endpoint::config_json(*config);
  SEMEL_CHECK(endpoint::config_json(endpoint::read_config_json(text).value()) == text);
}

void check_new(const NewEndpoint& made) {
  const std::string stored = endpoint::config_json(made.config);
  SEMEL_CHECK(endpoint::read_config_json(stored).has_value());
  check_stored(stored);
  if (made.event_types) {
    SEMEL_CHECK(!made.event_types->empty() && made.event_types->size() <= 100);
    SEMEL_CHECK(
        std::ranges::all_of(*made.event_types, [](const auto& type) { return routing::is_valid_pattern(type); }));
  }
  if (!made.secret) return;
  const auto secret = signature::parse_secret(*made.secret);
  SEMEL_CHECK(secret.has_value());
  SEMEL_CHECK(!made.asymmetric || secret->scheme == signature::Scheme::ed25519);
}

}  // namespace

void endpoint_config(std::string_view bytes) {
  static const egress::EgressRules kRules = loopback_allowed();
  check_stored(bytes);
  const Result<JsonDocument> document = parse_json(bytes);
  if (!document) return;
  const auto made = endpoint::read_new_endpoint(document->root(), kRules);
  if (!made) return check_refusal(made.error());
  check_new(*made);
}

}  // namespace semel::fuzz
