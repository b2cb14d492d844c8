// event_fuzz.cc: from a producer's bytes to what a receiver reads: an event that was taken keeps its bounds and its
// data byte for byte, and arrives as what was sent.
#include <string>
#include <tuple>

#include "api/problem.h"
#include "base/bytes.h"
#include "core/event/envelope.h"
#include "core/event/submission.h"
#include "core/inbox/inbox.h"
#include "core/routing/pattern.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using event::Submission;

constexpr JsonLimits kLimits{.depth_max = event::kSubmissionDepthMax};
constexpr WallTime kAcceptedAt{1'796'024'751'123};

void check_word(const std::optional<std::string>& word) {
  SEMEL_CHECK(!word || (!word->empty() && word->size() <= 128 && is_plain(*word)));
}

void check_submission(const Submission& submission) {
  SEMEL_CHECK(routing::is_valid_event_type(submission.type));
  SEMEL_CHECK(!submission.id || is_valid_id(*submission.id));
  for (const auto* word :
       {&submission.schema_version, &submission.source, &submission.correlation_id, &submission.causation_id})
    check_word(*word);
  if (const auto& key = submission.ordering_key) {
    SEMEL_CHECK(!key->empty() && key->size() <= 128 && is_valid_utf8(*key));
    SEMEL_CHECK(std::ranges::none_of(*key, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }));
  }
  SEMEL_CHECK(!submission.sequence || (*submission.sequence >= 1 && *submission.sequence <= event::kNumberMax));
  SEMEL_CHECK(!submission.sequence || submission.ordering_key);
  SEMEL_CHECK(!submission.sequence_start || submission.sequence);
  SEMEL_CHECK(!submission.entity_version || *submission.entity_version <= event::kNumberMax);
  SEMEL_CHECK(parse_json(submission.data, {.depth_max = event::kDataDepthMax}).has_value());
}

void check_refusal(const event::SubmissionError& error) {
  SEMEL_CHECK(api::problem_kind(error.code).code == error.code);
  SEMEL_CHECK(error.member.empty() || error.member.starts_with('/'));
  SEMEL_CHECK(error.member.size() <= 128);
  SEMEL_CHECK(is_plain(error.note));
}

std::string written(const Submission& submission) {
  JsonWriter json;
  json.object()
      .member("type", submission.type)
      .member_if("id", submission.id)
      .member_if("schema_version", submission.schema_version)
      .member_if("source", submission.source)
      .member_if("ordering_key", submission.ordering_key)
      .member_if("sequence", submission.sequence)
      .member_if("correlation_id", submission.correlation_id)
      .member_if("causation_id", submission.causation_id)
      .member_if("entity_version", submission.entity_version);
  if (submission.sequence_start) json.member("sequence_start", true);
  if (submission.occurred_at) json.member("occurred_at", format_rfc3339(*submission.occurred_at));
  return json.key("data").raw(submission.data).end().take();
}

void check_written(const Submission& submission) {
  const std::string text = written(submission);
  const Result<JsonDocument> document = parse_json(text, kLimits);
  SEMEL_CHECK(document.has_value());
  const auto again = event::read_submission(document->root());
  SEMEL_CHECK(again.has_value());
  SEMEL_CHECK(written(*again) == text);
  SEMEL_CHECK(again->data == submission.data);
}

void check_arrival(const Submission& submission, const EventId& id, const event::Envelope& envelope,
                   const event::DeliveryMember& member) {
  const std::string body = event::splice_delivery(envelope.bytes, envelope.data_offset, member);
  const Result<inbox::Arrival> arrival = inbox::read_arrival(body, id.text, "shop");
  SEMEL_CHECK(arrival.has_value());
  SEMEL_CHECK(arrival->id == id.text && arrival->type == submission.type);
  SEMEL_CHECK(arrival->endpoint == member.endpoint.text && arrival->round == member.round);
  SEMEL_CHECK(arrival->ordering_key == submission.ordering_key && arrival->after == member.after);
  SEMEL_CHECK(arrival->correlation_id == submission.correlation_id);
  SEMEL_CHECK(arrival->entity_version == submission.entity_version);
  SEMEL_CHECK(arrival->accepted_at == kAcceptedAt);
  SEMEL_CHECK(arrival->ordered() == submission.ordering_key.has_value());
  const Result<JsonDocument> document = parse_json(body, {.depth_max = 128});
  SEMEL_CHECK(document->root().find("data")->raw() == submission.data);
}

void check_journey(const Submission& submission, Random& random) {
  const EventId id{submission.id.value_or("evt_1")};
  std::optional<Sequence> sequence = submission.sequence;
  if (submission.ordering_key && !sequence) sequence = 1 + random.below(event::kNumberMax);
  const event::Envelope envelope = event::build_envelope(
      submission, {.id = id, .tenant = "default", .accepted_at = kAcceptedAt, .sequence = sequence});
  const Result<JsonDocument> document = parse_json(envelope.bytes, {.depth_max = 128});
  SEMEL_CHECK(document.has_value());
  SEMEL_CHECK(document->root().find("data")->raw() == submission.data);
  event::DeliveryMember member{.endpoint = {"ep_1"}, .round = static_cast<std::uint32_t>(1 + random.below(9))};
  if (sequence) member.after = random.below(*sequence);
  check_arrival(submission, id, envelope, member);
}

}  // namespace

void event(std::string_view bytes) {
  const Result<JsonDocument> document = parse_json(bytes, kLimits);
  if (!document) return;
  const auto submission = event::read_submission(document->root());
  if (!submission) return check_refusal(submission.error());
  check_submission(*submission);
  check_written(*submission);
  SeededRandom random = chance_of(bytes);
  check_journey(*submission, random);
}

}  // namespace semel::fuzz
