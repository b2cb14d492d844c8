// in_words.h: everything a store answers as text, so that two stores can be held side by side. Notes of errors, which
// are for people, are left out.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/match.h"
#include "port/store.h"

namespace semel::sim {

// In one class, so that each sees all others.
class Words {
 public:
  static std::string of(const std::string& text) { return '"' + text + '"'; }
  template <std::integral Number>
  static std::string of(Number number) {
    return fmt::format("{}", number);
  }
  template <class Tag, class Raw>
  static std::string of(Strong<Tag, Raw> strong) {
    return fmt::format("{}", strong.value);
  }
  template <class Tag>
  static std::string of(const TextId<Tag>& id) {
    return id.text;
  }
  static std::string of(WallTime time) { return fmt::format("@{}", time.ms); }
  static std::string of(milliseconds span) { return fmt::format("{}ms", span.count()); }
  static std::string of(Fault fault) {
    constexpr std::array<const char*, 10> kFaults{"invalid", "not_found",   "forbidden", "conflict",        "fenced",
                                                  "busy",    "unavailable", "timed_out", "unknown_outcome", "corrupt"};
    return kFaults[static_cast<std::size_t>(fault)];
  }
  static std::string of(FailureClass failure) { return name_of(failure); }
  static std::string of(const std::array<std::uint8_t, 32>& bytes) { return to_hex(as_text(bytes)); }

  template <class T>
  static std::string of(const std::optional<T>& value) {
    return value ? of(*value) : "-";
  }
  template <class T>
  static std::string of(const std::vector<T>& values) {
    std::vector<std::string> words;
    for (const T& value : values) words.push_back(of(value));
    return fmt::format("[{}]", fmt::join(words, "; "));
  }
  template <class... T>
  static std::string line_of(const T&... values) {
    std::string line;
    ((line += (line.empty() ? "" : " ") + of(values)), ...);
    return line;
  }

  static std::string of(const delivery::State& state) {
    return match(
        state, [](const delivery::Due& due) { return "due " + line_of(due.at); },
        [](const delivery::InFlight& flight) {
          return "in_flight " + line_of(flight.attempt, flight.started_at, flight.counts);
        },
        [](const delivery::Unknown& unknown) { return "unknown " + line_of(unknown.at, unknown.extra_attempt); },
        [](const delivery::Parked& parked) { return "parked " + line_of(parked.ask_at); },
        [](const delivery::Delivered& delivered) { return "delivered " + line_of(delivered.at); },
        [](const delivery::Dead& dead) { return "dead " + line_of(dead.at, dead.reason); },
        [](const delivery::Cancelled& cancelled) { return "cancelled " + line_of(cancelled.at, cancelled.reason); });
  }
  static std::string of(const delivery::Record& record) {
    return "record " + line_of(record.round, record.attempts, record.progress.counted, record.progress.clock_origin,
                               record.progress.last_delay, record.unsettled, record.parked_since, record.parked_asks,
                               record.first_delivered_at);
  }
  static std::string of(const admission::Wait& wait) { return "wait " + line_of(wait.until, wait.step); }

  static std::string of(const store::Tenant& row) { return line_of(row.key, row.name, row.sealed_fingerprint_key); }
  static std::string of(const store::SealedSecret& secret) {
    return line_of(secret.number, secret.sealed, secret.not_after);
  }
  static std::string of(const store::Endpoint& row) {
    return line_of(row.key, row.tenant, row.id, row.version, row.config_json, row.secrets, row.wait, row.created_at,
                   row.deleted_at);
  }
  static std::string of(const store::Subscription& row) {
    return line_of(row.key, row.tenant, row.id, row.endpoint, row.event_types, row.created_at);
  }
  static std::string of(const store::ApiKeyRow& row) {
    return line_of(row.key.id, row.key.secret_hash, static_cast<int>(row.key.role), row.key.tenant, row.key.client,
                   row.key.event_types, row.created_at);
  }
  static std::string of(const store::Delivery& row) {
    return line_of(row.key, row.tenant, row.event, row.endpoint, row.line, row.sequence, row.after, row.version,
                   row.state, row.record);
  }
  static std::string of(const store::EventBody& body) {
    return line_of(body.key, body.id, body.envelope, body.data_offset, body.ordering_key, body.sequence,
                   body.correlation_id, body.type);
  }
  static std::string of(const store::EventView& view) {
    return line_of(view.key, view.id, view.type, view.envelope, view.ordering_key, view.sequence, view.correlation_id,
                   view.accepted_at);
  }
  static std::string of(const store::DeliveryView& view) {
    return line_of(view.key, view.id.event, view.id.endpoint, view.endpoint, view.event_type, view.ordering_key,
                   view.sequence, view.after, view.version, view.state, view.record) +
           " blocked_by " + of(view.blocked_by);
  }
  static std::string of(const store::OutcomeView& outcome) {
    return line_of(outcome.late, outcome.at, outcome.result, outcome.failure, outcome.http_status, outcome.reason);
  }
  static std::string of(const store::AttemptView& attempt) {
    return line_of(attempt.number, attempt.round, attempt.counts, attempt.started_at, attempt.outcomes);
  }

  static std::string of(const store::ItemAnswer& answer) {
    return match(
        answer,
        [](const store::Taken& taken) {
          return "taken " +
                 line_of(taken.id, taken.sequence, taken.accepted_at, taken.endpoints, taken.duplicate, taken.replayed,
                         taken.fresh) +
                 (taken.body ? " body " + of(*taken.body) : "");
        },
        [](const intake::Refuse& refuse) {
          return "not taken " + line_of(static_cast<int>(refuse.why), refuse.expected);
        });
  }
  static std::string of(const store::CommitAnswer& answer) {
    return match(
        answer,
        [](const store::Committed& committed) {
          return "committed " + match(
                                    committed.made, [](std::monostate) { return std::string(); },
                                    [](const store::IntakeAnswer& intake) {
                                      return line_of(intake.items, intake.batch_key_reused, intake.batch_replayed);
                                    },
                                    [](const auto& row) { return of(row); });
        },
        [](const store::Conflict&) { return std::string("conflict"); },
        [](const store::Refused& refused) { return "refused " + of(refused.error.fault); },
        [](const store::Unknown& unknown) { return fmt::format("unknown fatal={}", unknown.fatal); });
  }

  template <class T>
  static std::string of(const Result<T>& result) {
    return result ? of(*result) : "error " + of(result.error().fault);
  }
};

template <class T>
std::string in_words(const T& value) {
  return Words::of(value);
}

}  // namespace semel::sim
