// config.cc: the body of an endpoint's creation, member by member, and the stored form of what it configures.
#include "core/endpoint/config.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/nearest.h"
#include "core/routing/pattern.h"
#include "core/signature/signature.h"

namespace semel::endpoint {
namespace {

template <class T>
using Read = std::expected<T, ConfigError>;

constexpr std::size_t kPatternsMax = 100;

constexpr std::string_view kKnownMembers[] = {"url",           "ordering",     "on_dead",    "on_unknown",
                                              "client_errors", "retry_policy", "timeout_ms", "max_in_flight",
                                              "event_types",   "secret",       "signature",  "status_query"};
constexpr std::string_view kStoredMembers[] = {"url",          "ordering",   "client_errors",
                                               "retry_policy", "timeout_ms", "max_in_flight"};

std::unexpected<ConfigError> refuse(std::string_view code, std::string_view member, std::string note) {
  return std::unexpected(ConfigError{std::string(code), std::string(member), std::move(note)});
}
std::unexpected<ConfigError> invalid(std::string_view member, std::string note) {
  return refuse("MEMBER_INVALID", member, std::move(note));
}

const char* name_of(retry::ClientErrors client_errors) {
  switch (client_errors) {
    case retry::ClientErrors::retry:
      return "retry";
    case retry::ClientErrors::give_up:
      return "give_up";
  }
  std::unreachable();
}

Read<std::monostate> check_members(const JsonValue& object) {
  if (object.kind() != JsonKind::object) return refuse("BODY_INVALID", "", "an endpoint is a JSON object");
  for (std::size_t i = 0; i < object.size(); ++i) {
    const std::string_view name = object.name(i);
    if (std::ranges::find(kKnownMembers, name) == std::end(kKnownMembers))
      return refuse("MEMBER_UNKNOWN", name, "this member is not known" + nearest_name_hint(name, kKnownMembers));
  }
  return {};
}

// One value of each is there already; the others are refused by name, so that nobody relies on what is ignored.
Read<std::monostate> refuse_later_values(const JsonValue& object) {
  struct Available {
    std::string_view member;
    std::string_view value;
  };
  for (const Available& available : {Available{"on_dead", "block"}, Available{"on_unknown", "resend"}}) {
    const auto value = object.find(available.member);
    if (value && !(value->kind() == JsonKind::string && value->text() == available.value))
      return refuse("NOT_SUPPORTED_YET", available.member,
                    fmt::format("only \"{}\" is available yet", available.value));
  }
  if (object.find("status_query")) return refuse("NOT_SUPPORTED_YET", "status_query", "this is not available yet");
  return {};
}

// One of two words; the first is the default.
template <class Choice>
Read<Choice> read_choice(const JsonValue& object, std::string_view member, Choice first, Choice second) {
  const auto value = object.find(member);
  if (!value) return first;
  for (const Choice choice : {first, second})
    if (value->kind() == JsonKind::string && value->text() == name_of(choice)) return choice;
  return invalid(member, fmt::format("\"{}\" or \"{}\" is expected", name_of(first), name_of(second)));
}

struct NumberRange {
  std::int64_t min;
  std::int64_t max;
  std::int64_t value_if_absent;
};

Read<std::int64_t> read_number(const JsonValue& object, std::string_view member, NumberRange range) {
  const auto value = object.find(member);
  if (!value) return range.value_if_absent;
  const auto number = value->kind() == JsonKind::number ? value->integer() : std::nullopt;
  if (!number || *number < range.min || *number > range.max)
    return invalid(member, fmt::format("a whole number from {} to {} is expected", range.min, range.max));
  return *number;
}

Read<retry::Policy> read_policy(const JsonValue& object) {
  const auto value = object.find("retry_policy");
  if (!value) return retry::kDefaultPolicy;
  auto policy = retry::parse_policy(*value);
  if (!policy) return invalid("retry_policy", std::move(policy).error().note);
  return *std::move(policy);
}

Read<std::string_view> required_url(const JsonValue& object) {
  const auto value = object.find("url");
  if (!value) return refuse("MEMBER_MISSING", "url", "an endpoint has a URL");
  if (value->kind() != JsonKind::string) return invalid("url", "a string is expected");
  return value->text();
}

Read<egress::Url> read_url(const JsonValue& object, const egress::EgressRules& rules) {
  SEMEL_TRY(text, required_url(object));
  auto url = egress::parse_url(text, rules);
  if (url) return *std::move(url);
  const bool denied = url.error().fault == Fault::forbidden;
  return refuse(denied ? "DESTINATION_DENIED" : "URL_INVALID", "url", std::move(url).error().note);
}

Read<Config> read_config(const JsonValue& object, egress::Url url) {
  SEMEL_TRY(ordering, read_choice(object, "ordering", Ordering::none, Ordering::per_key));
  SEMEL_TRY(client_errors,
            read_choice(object, "client_errors", retry::ClientErrors::retry, retry::ClientErrors::give_up));
  SEMEL_TRY(policy, read_policy(object));
  SEMEL_TRY(timeout_ms,
            read_number(object, "timeout_ms", {kTimeoutMin.count(), kTimeoutMax.count(), kTimeoutDefault.count()}));
  SEMEL_TRY(max_in_flight, read_number(object, "max_in_flight", {1, kMaxInFlightMax, kMaxInFlightDefault}));
  return Config{.url = std::move(url),
                .ordering = ordering,
                .rules = {.policy = std::move(policy), .client_errors = client_errors},
                .timeout = milliseconds(timeout_ms),
                .max_in_flight = static_cast<std::uint32_t>(max_in_flight)};
}

Read<std::optional<std::vector<std::string>>> read_event_types(const JsonValue& object) {
  const auto value = object.find("event_types");
  if (!value) return std::nullopt;
  if (value->kind() != JsonKind::array || value->size() < 1 || value->size() > kPatternsMax)
    return invalid("event_types", fmt::format("an array of 1 to {} event types or patterns is expected", kPatternsMax));
  std::vector<std::string> patterns;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const JsonValue element = value->at(i);
    if (element.kind() != JsonKind::string || !routing::is_valid_pattern(element.text()))
      return invalid("event_types", fmt::format("element {} is not an event type or a pattern", i));
    patterns.emplace_back(element.text());
  }
  return patterns;
}

Read<std::optional<signature::Scheme>> read_scheme(const JsonValue& object) {
  const auto value = object.find("signature");
  if (!value) return std::nullopt;
  if (value->kind() == JsonKind::string && value->text() == "v1") return signature::Scheme::hmac_sha256;
  if (value->kind() == JsonKind::string && value->text() == "v1a") return signature::Scheme::ed25519;
  return invalid("signature", "\"v1\" or \"v1a\" is expected");
}

// The operator's own secret fits the scheme, when both are given.
Read<std::optional<std::string>> read_secret(const JsonValue& object, std::optional<signature::Scheme> scheme) {
  const auto value = object.find("secret");
  if (!value) return std::nullopt;
  if (value->kind() != JsonKind::string) return invalid("secret", "a string is expected");
  const auto secret = signature::parse_secret(value->text());
  if (!secret) return invalid("secret", secret.error().note);
  if (scheme && *scheme != secret->scheme) return invalid("secret", "the secret is not one of this signature");
  return std::string(value->text());
}

Result<Config> stored_config(const JsonValue& object) {
  const auto corrupt = [](std::string note) { return fail(Fault::corrupt, "stored endpoint: " + std::move(note)); };
  if (object.kind() != JsonKind::object || object.size() != std::size(kStoredMembers))
    return corrupt("not the members that were written");
  for (const std::string_view member : kStoredMembers)
    if (!object.find(member)) return corrupt(fmt::format("{} is missing", member));
  const auto text = required_url(object);
  if (!text) return corrupt("url: " + text.error().note);
  auto url = egress::read_url(*text);
  if (!url) return corrupt("url: " + url.error().note);
  auto config = read_config(object, *std::move(url));
  if (!config) return corrupt(config.error().member + ": " + config.error().note);
  return *std::move(config);
}

}  // namespace

const char* name_of(Ordering ordering) {
  switch (ordering) {
    case Ordering::none:
      return "none";
    case Ordering::per_key:
      return "per-key";
  }
  std::unreachable();
}

std::expected<NewEndpoint, ConfigError> read_new_endpoint(const JsonValue& object, const egress::EgressRules& rules) {
  SEMEL_TRY_VOID(check_members(object));
  SEMEL_TRY_VOID(refuse_later_values(object));
  SEMEL_TRY(url, read_url(object, rules));
  SEMEL_TRY(config, read_config(object, std::move(url)));
  SEMEL_TRY(event_types, read_event_types(object));
  SEMEL_TRY(scheme, read_scheme(object));
  SEMEL_TRY(secret, read_secret(object, scheme));
  return NewEndpoint{.config = std::move(config),
                     .event_types = std::move(event_types),
                     .secret = std::move(secret),
                     .asymmetric = scheme == signature::Scheme::ed25519};
}

std::string config_json(const Config& config) {
  return JsonWriter()
      .object()
      .member("url", config.url.text())
      .member("ordering", name_of(config.ordering))
      .member("client_errors", name_of(config.rules.client_errors))
      .key("retry_policy")
      .raw(retry::policy_json(config.rules.policy))
      .member("timeout_ms", config.timeout.count())
      .member("max_in_flight", config.max_in_flight)
      .end()
      .take();
}

Result<Config> read_config_json(std::string_view json) {
  const auto document = parse_json(json);
  if (!document) return fail(Fault::corrupt, "stored endpoint: " + document.error().note);
  return stored_config(document->root());
}

}  // namespace semel::endpoint
