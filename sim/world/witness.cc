// witness.cc: from taps to checkers.
#include "sim/world/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "sim/world/ground.h"

namespace semel::sim {
namespace {

using DeliveryNames = std::map<DeliveryKey, std::string>;

std::string named(const DeliveryNames& names, DeliveryKey key) {
  const auto name = names.find(key);
  return name == names.end() ? fmt::format("delivery {}", key.value) : name->second;
}

std::string said(const store::WriteSet& write_set, const DeliveryNames& names) {
  return match(
      write_set, [](const store::Intake& s) { return fmt::format("intake of {}", s.items.size()); },
      [&](const store::StartAttempt& s) {
        return fmt::format("{} attempt {} begins", named(names, s.delivery), s.state.attempt);
      },
      [&](const store::SettleAttempt& s) {
        return fmt::format("{} attempt {}: {}", named(names, s.delivery), s.attempt, s.outcome.result);
      },
      [&](const store::LateOutcome& s) {
        return fmt::format("{} attempt {} late: {}", named(names, s.delivery), s.attempt, s.outcome.result);
      },
      [&](const store::ChangeDelivery& s) {
        return fmt::format("{} becomes {}", named(names, s.delivery), delivery::name_of(delivery::name_of(s.state)));
      },
      [](const store::CreateEndpoint& s) { return fmt::format("endpoint {} made", s.id.text); },
      [](const store::DeleteEndpoint& s) { return fmt::format("endpoint {} deleted", s.id.text); },
      [](const store::CreateSubscription&) { return std::string("subscription made"); },
      [](const store::DeleteSubscription&) { return std::string("subscription deleted"); },
      [](const store::CreateApiKey&) { return std::string("key made"); },
      [](const store::DeleteApiKey&) { return std::string("key deleted"); });
}

std::string_view said(const store::CommitAnswer& answer) {
  return match(
      answer, [](const store::Committed&) { return "committed"; }, [](const store::Conflict&) { return "conflict"; },
      [](const store::Refused&) { return "refused"; }, [](const store::Unknown&) { return "in doubt"; });
}

// The events that an intake has stored.
std::string said_of_intake(const store::IntakeAnswer& answer) {
  std::string text;
  for (const store::ItemAnswer& item : answer.items)
    if (const auto* taken = std::get_if<store::Taken>(&item)) {
      text += fmt::format(", {}", taken->id.text);
      if (taken->sequence) text += fmt::format(" seq {}", *taken->sequence);
      if (taken->replayed || taken->duplicate) text += " again";
    }
  return text;
}

std::string_view said(CommitFate fate) {
  switch (fate) {
    case CommitFate::told:
      return "";
    case CommitFate::lost:
      return ", answer lost";
    case CommitFate::in_doubt:
      return ", told: unknown";
    case CommitFate::late:
      return ", late";
    case CommitFate::died:
      return ", nobody is left to hear";
  }
  std::unreachable();
}

}  // namespace

Witness::Witness() {
  checkers_ =
      make_checkers(known, [this](std::string_view checker, std::string text) { violate(checker, std::move(text)); });
}

void Witness::violate(std::string_view checker, std::string text) {
  if (violation_) return;
  chart.add_violation(known.now, checker, text);
  violation_ = Violation{std::string(checker), std::move(text), known.now};
}

const KnownEndpoint* Witness::endpoint_of(const WireRequest& request) const {
  return known.endpoint_at(request.header("host"), request.target);
}

std::string Witness::id_of(EndpointKey key) const {
  const auto id = known.endpoint_of_key.find(key);
  return id == known.endpoint_of_key.end() ? fmt::format("endpoint {}", key.value) : id->second.text;
}

void Witness::connect_asked(std::string_view process, const egress::SocketAddress& to) {
  if (process != kServerProcess) return;
  tell([&](Checker& checker) { checker.connect_asked(process, to); });
}

void Witness::connection_opened(std::string_view process, std::size_t asked, std::size_t accepted) {
  if (process != kServerProcess) return;
  tell([&](Checker& checker) { checker.connection_opened(asked, accepted); });
}

void Witness::request_left(std::string_view process, const WireRequest& request) {
  if (process != kServerProcess) return;
  busy();
  const KnownEndpoint* endpoint = endpoint_of(request);
  asked_[request.connection] = request;
  if (chart.kept())
    chart.add(known.now, process, endpoint ? endpoint->receiver : "?",
              fmt::format("{} attempt {} seq {}", request.header("webhook-id"), request.header("semel-attempt"),
                          request.header("semel-sequence")));
  tell([&](Checker& checker) { checker.request_left(request, endpoint); });
}

void Witness::request_arrived(std::string_view process, const WireRequest& request) {
  const KnownEndpoint* endpoint = endpoint_of(request);
  if (!endpoint) return;
  if (chart.kept() && request.replayed)
    chart.add(known.now, process, "", fmt::format("{} arrives again", request.header("webhook-id")));
  tell([&](Checker& checker) { checker.request_arrived(request, endpoint); });
}

void Witness::answer_arrived(std::string_view process, const WireAnswer& answer) {
  if (process != kServerProcess) return;
  const auto asked = asked_.find(answer.connection);
  if (asked == asked_.end() || asked->second.number != answer.number) return;
  const KnownEndpoint* endpoint = endpoint_of(asked->second);
  if (chart.kept() && answer.complete)
    chart.add(known.now, endpoint ? endpoint->receiver : "?", process,
              fmt::format("{} {}", answer.status, asked->second.header("webhook-id")));
  tell([&](Checker& checker) { checker.answer_arrived(answer, asked->second, endpoint); });
  if (!endpoint || endpoint->kind != ReceiverKind::honest) return;
  for (const auto& [name, value] : answer.headers)
    if (name == "semel-disposition")
      tell([&](Checker& checker) {
        checker.inbox_answered({.receiver = endpoint->receiver,
                                .source = endpoint->source,
                                .event = {std::string(asked->second.header("webhook-id"))},
                                .status = answer.status,
                                .disposition = value});
      });
}

void Witness::commit_asked(const store::WriteSet& write_set, Fence by) {
  busy();
  if (const auto* create = std::get_if<store::CreateEndpoint>(&write_set)) {
    Result<endpoint::Config> config = endpoint::read_config_json(create->config_json);
    SEMEL_CHECK(config.has_value());
    const auto planned = planned_.find(config->url.text());
    SEMEL_CHECK(planned != planned_.end());
    KnownEndpoint endpoint = planned->second;
    endpoint.id = create->id;
    endpoint.config = *std::move(config);
    known.endpoints.push_back(std::move(endpoint));
  }
  tell([&](Checker& checker) { checker.commit_asked(write_set, by); });
}

void Witness::commit_done(const store::WriteSet& write_set, Fence by, CommitFate fate,
                          const store::CommitAnswer& answer) {
  if (const auto* committed = std::get_if<store::Committed>(&answer))
    if (const auto* endpoint = std::get_if<store::Endpoint>(&committed->made))
      known.endpoint_of_key.emplace(endpoint->key, endpoint->id);
  if (chart.kept()) chart_commit(write_set, fate, answer);
  tell([&](Checker& checker) { checker.commit_done(write_set, by, fate, answer); });
}

void Witness::chart_commit(const store::WriteSet& write_set, CommitFate fate, const store::CommitAnswer& answer) {
  std::string taken;
  if (const auto* committed = std::get_if<store::Committed>(&answer))
    if (const auto* intake = std::get_if<store::IntakeAnswer>(&committed->made)) {
      taken = said_of_intake(*intake);
      for (const store::ItemAnswer& item : intake->items)
        if (const auto* one = std::get_if<store::Taken>(&item))
          for (const store::Delivery& delivery : one->fresh)
            delivery_names_.emplace(delivery.key, fmt::format("{}.{}", one->id.text, id_of(delivery.endpoint)));
    }
  chart.add(known.now, "store", "",
            fmt::format("{}: {}{}{}", said(write_set, delivery_names_), said(answer), said(fate), taken));
}

void Witness::endpoint_made(const EndpointId& id, std::string secret) {
  const auto endpoint = std::ranges::find(known.endpoints, id, &KnownEndpoint::id);
  SEMEL_CHECK(endpoint != known.endpoints.end());
  if (endpoint->secret.empty()) endpoint->secret = std::move(secret);
  tell([&](Checker& checker) { checker.endpoint_made(*endpoint); });
}

void SimTelemetry::note(Level level, std::string_view event, std::initializer_list<Field> fields) {
  std::string line(event);
  for (const auto& [name, value] : fields) line += fmt::format(" {}={}", name, value);
  trace_.note(process_, [&] { return (level == Level::error ? "ERROR " : "log ") + line; });
  witness_.tell([&](Checker& checker) { checker.logged(process_, line); });
}

}  // namespace semel::sim
