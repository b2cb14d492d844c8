// decide.cc: the steps in their order; each is one function.
#include "core/intake/decide.h"

#include <utility>

#include "base/bytes.h"
#include "base/planted.h"
#include "base/probe.h"

namespace semel::intake {
namespace {

bool same_content(const StoredEvent& stored, const Item& item) {
  return planted(Planted::fingerprint_ignored) ||
         constant_time_equal(as_text(stored.fingerprint), as_text(item.fingerprint));
}

// The key's event is the answer, if the request says what that event said and names no other id.
Decision judge_by_key(const KeyBinding& binding, const Item& item, IntakeView& view) {
  StoredEvent stored = view.event(binding.event);
  const bool same_id = !item.submission.id || *item.submission.id == stored.id.text;
  probe::sometimes<"intake.key_names_another_id">(!same_id);
  if (!same_content(stored, item) || !same_id) {
    probe::reached<"intake.key_reused">();
    return Refuse{Refuse::Why::key_reused, std::nullopt};
  }
  probe::reached<"intake.key_known">();
  return Replay{.event = std::move(stored), .duplicate = binding.answered_duplicate, .bind_key = false};
}

Decision judge_by_id(StoredEvent stored, const Item& item) {
  if (!same_content(stored, item)) {
    probe::reached<"intake.id_reused">();
    return Refuse{Refuse::Why::id_reused, std::nullopt};
  }
  probe::reached<"intake.id_known">();
  probe::sometimes<"intake.key_bound_to_known_id">(item.key.has_value());
  return Replay{.event = std::move(stored), .duplicate = true, .bind_key = item.key.has_value()};
}

// nullopt: neither key nor id is known, the submission is fresh.
std::optional<Decision> judge_by_record(const Item& item, IntakeView& view) {
  if (item.key)
    if (const auto binding = view.find_key(*item.key)) return judge_by_key(*binding, item, view);
  if (item.submission.id)
    if (auto stored = view.find_event({*item.submission.id})) return judge_by_id(*std::move(stored), item);
  return std::nullopt;
}

// The place of an event in its ordering key; all empty without one.
struct Place {
  std::optional<LineKey> line;  // empty for the first event of an ordering key
  std::optional<Sequence> sequence;
  std::optional<NumberedBy> first_of_line;
};

std::expected<Place, Refuse> gap(Sequence expected) {
  probe::reached<"intake.sequence_gap">();
  return std::unexpected(Refuse{Refuse::Why::sequence_gap, expected});
}

std::expected<Place, Refuse> begin_line(const event::Submission& submission) {
  if (!submission.sequence) return Place{std::nullopt, 1, NumberedBy::semel};
  if (*submission.sequence != 1 && !submission.sequence_start) return gap(1);
  return Place{std::nullopt, submission.sequence, NumberedBy::producer};
}

std::expected<Place, Refuse> continue_line(const event::Submission& submission, const Line& line) {
  const Sequence next = line.last + 1;
  switch (line.numbered_by) {
    case NumberedBy::semel:
      probe::sometimes<"intake.sequence_not_taken">(submission.sequence.has_value());
      if (submission.sequence) return std::unexpected(Refuse{Refuse::Why::sequence_not_taken, std::nullopt});
      break;
    case NumberedBy::producer:
      probe::sometimes<"intake.sequence_missing">(!submission.sequence);
      if (!submission.sequence) return std::unexpected(Refuse{Refuse::Why::sequence_missing, std::nullopt});
      if (*submission.sequence != next) return gap(next);
      break;
  }
  return Place{line.key, next, std::nullopt};
}

std::expected<Place, Refuse> find_place(const event::Submission& submission, IntakeView& view) {
  if (!submission.ordering_key) return Place{};
  const std::optional<Line> line = view.find_line(*submission.ordering_key);
  return line ? continue_line(submission, *line) : begin_line(submission);
}

std::optional<Sequence> predecessor(EndpointKey endpoint, const Place& place, IntakeView& view) {
  if (!place.sequence) return std::nullopt;
  if (planted(Planted::after_counts_unsent_events)) return *place.sequence - 1;
  const Sequence last = place.line ? view.tail(endpoint, *place.line) : 0;
  probe::sometimes<"intake.after_passes_over_unsent">(last + 1 < *place.sequence);
  return last;
}

std::vector<NewDelivery> fan_out(std::string_view type, const Place& place, IntakeView& view) {
  std::vector<NewDelivery> deliveries;
  for (const EndpointKey endpoint : routing::route(view.routing(), type))
    deliveries.push_back({.endpoint = endpoint, .after = predecessor(endpoint, place, view)});
  probe::sometimes<"intake.no_match">(deliveries.empty());
  probe::sometimes<"intake.several_endpoints">(deliveries.size() > 1);
  return deliveries;
}

}  // namespace

Decision decide(const Item& item, std::string_view tenant_name, IntakeView& view) {
  const event::Submission& submission = item.submission;
  if (auto judged = judge_by_record(item, view)) return *std::move(judged);

  const std::expected<Place, Refuse> place = find_place(submission, view);
  if (!place) return place.error();

  const EventId id = submission.id ? EventId{*submission.id} : item.fresh_id;
  event::Envelope envelope = event::build_envelope(
      submission, {.id = id, .tenant = tenant_name, .accepted_at = item.accepted_at, .sequence = place->sequence});
  return Accept{NewEvent{.id = id,
                         .envelope = std::move(envelope),
                         .sequence = place->sequence,
                         .first_of_line = place->first_of_line,
                         .deliveries = fan_out(submission.type, *place, view)}};
}

}  // namespace semel::intake
