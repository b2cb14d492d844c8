// arrival.cc: reading a verified body into an Arrival. Nothing here is believed for dedup but the id, which the
// signature covers twice: in the header and in the body.
#include <limits>

#include "core/inbox/inbox.h"

namespace semel::inbox {
namespace {

// An envelope holds `data` of depth 64 within itself.
constexpr JsonLimits kBodyLimits{.depth_max = 128};

Error malformed(std::string_view member) {
  return {Fault::invalid, "member '" + std::string(member) + "' is not what the envelope says it is"};
}

Result<std::optional<std::string>> read_text(const JsonValue& object, std::string_view name) {
  const std::optional<JsonValue> member = object.find(name);
  if (!member) return std::nullopt;
  if (member->kind() != JsonKind::string) return std::unexpected(malformed(name));
  return std::string(member->text());
}

Result<std::optional<std::uint64_t>> read_number(const JsonValue& object, std::string_view name, std::uint64_t lowest,
                                                 std::uint64_t highest) {
  const std::optional<JsonValue> member = object.find(name);
  if (!member) return std::nullopt;
  const std::optional<std::int64_t> number = member->integer();
  if (member->kind() != JsonKind::number || !number || *number < 0) return std::unexpected(malformed(name));
  const auto value = static_cast<std::uint64_t>(*number);
  if (value < lowest || value > highest) return std::unexpected(malformed(name));
  return value;
}

constexpr std::uint64_t kNumberMax = (1ull << 53) - 1;

Result<Arrival> read_delivery(const JsonValue& delivery, Arrival arrival) {
  if (delivery.kind() != JsonKind::object) return std::unexpected(malformed("delivery"));
  SEMEL_TRY(endpoint, read_text(delivery, "endpoint"));
  SEMEL_TRY(round, read_number(delivery, "round", 1, std::numeric_limits<std::uint32_t>::max()));
  SEMEL_TRY(after, read_number(delivery, "after", 0, kNumberMax));
  if (after && (!arrival.sequence || *after >= *arrival.sequence)) return std::unexpected(malformed("delivery.after"));
  if (const std::optional<JsonValue> flag = delivery.find("out_of_order")) {
    if (flag->kind() != JsonKind::boolean) return std::unexpected(malformed("delivery.out_of_order"));
    arrival.out_of_order = flag->boolean();
  }
  arrival.endpoint = std::move(endpoint);
  arrival.round = static_cast<std::uint32_t>(round.value_or(1));
  arrival.after = after;
  return arrival;
}

Result<Arrival> read_envelope(const JsonValue& envelope, Arrival arrival) {
  SEMEL_TRY(type, read_text(envelope, "type"));
  SEMEL_TRY(ordering_key, read_text(envelope, "ordering_key"));
  SEMEL_TRY(sequence, read_number(envelope, "sequence", 1, kNumberMax));
  SEMEL_TRY(correlation_id, read_text(envelope, "correlation_id"));
  SEMEL_TRY(entity_version, read_number(envelope, "entity_version", 0, kNumberMax));
  SEMEL_TRY(accepted_at, read_text(envelope, "accepted_at"));
  arrival.type = type.value_or("");
  arrival.ordering_key = std::move(ordering_key);
  arrival.sequence = sequence;
  arrival.correlation_id = std::move(correlation_id);
  arrival.entity_version = entity_version;
  if (accepted_at) {
    const Result<WallTime> time = parse_rfc3339(*accepted_at);
    if (!time) return std::unexpected(malformed("accepted_at"));
    arrival.accepted_at = *time;
  }
  const std::optional<JsonValue> delivery = envelope.find("delivery");
  return delivery ? read_delivery(*delivery, std::move(arrival)) : arrival;
}

}  // namespace

Result<Arrival> read_arrival(std::string_view body, std::string_view webhook_id, std::string_view source) {
  Arrival arrival;
  arrival.source = source;
  arrival.id = webhook_id;
  const Result<JsonDocument> document = parse_json(body, kBodyLimits);
  if (!document || document->root().kind() != JsonKind::object) return arrival;
  const std::optional<JsonValue> id = document->root().find("id");
  if (!id || id->kind() != JsonKind::string) return arrival;
  if (id->text() != webhook_id) return fail(Fault::invalid, "webhook-id and the body's id differ");
  return read_envelope(document->root(), std::move(arrival));
}

}  // namespace semel::inbox
