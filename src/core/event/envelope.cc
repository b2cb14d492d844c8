// envelope.cc: the order of members is part of the bytes and never changes.
#include "core/event/envelope.h"

#include "base/check.h"
#include "base/json.h"

namespace semel::event {
namespace {

constexpr std::size_t kDeliveryOverhead = 160;

}  // namespace

Envelope build_envelope(const Submission& submission, const EnvelopeFacts& facts) {
  SEMEL_CHECK(facts.sequence.has_value() == submission.ordering_key.has_value());
  const std::string accepted_at = format_rfc3339(facts.accepted_at);
  JsonWriter json;
  json.object()
      .member("id", facts.id.text)
      .member("type", submission.type)
      .member_if("schema_version", submission.schema_version)
      .member("timestamp", submission.occurred_at ? format_rfc3339(*submission.occurred_at) : accepted_at)
      .member("accepted_at", accepted_at)
      .member("tenant", facts.tenant)
      .member_if("source", submission.source)
      .member_if("correlation_id", submission.correlation_id)
      .member_if("causation_id", submission.causation_id)
      .member_if("ordering_key", submission.ordering_key)
      .member_if("sequence", facts.sequence)
      .member_if("entity_version", submission.entity_version);
  Envelope envelope{.bytes = {}, .data_offset = json.text().size() + 1};  // behind the comma
  json.key("data").raw(submission.data).end();
  envelope.bytes = json.take();
  return envelope;
}

std::string splice_delivery(std::string_view envelope, std::size_t data_offset, const DeliveryMember& member) {
  SEMEL_CHECK(data_offset <= envelope.size());
  SEMEL_CHECK(envelope.substr(data_offset).starts_with("\"data\":"));
  JsonWriter delivery;
  delivery.object()
      .member("endpoint", member.endpoint.text)
      .member("round", member.round)
      .member_if("after", member.after)
      .end();
  std::string body;
  body.reserve(envelope.size() + kDeliveryOverhead);
  body += envelope.substr(0, data_offset);
  body += "\"delivery\":";
  body += delivery.text();
  body += ',';
  body += envelope.substr(data_offset);
  return body;
}

}  // namespace semel::event
