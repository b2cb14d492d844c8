// seal.cc: writes the headers in one pass; the hints behind the signature are unsigned and say so by their names.
#include "engine/seal.h"

#include <string>

#include "base/bytes.h"
#include "base/planted.h"
#include "core/event/envelope.h"
#include "semel_version.h"

namespace semel::engine {
namespace {

void line(std::string& headers, std::string_view name, std::string_view value) {
  headers.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

SealedRequest seal(LiveEndpoint& endpoint, const store::EventBody& event, const store::Delivery& delivery,
                   std::uint32_t attempt, WallTime now) {
  SealedRequest request{
      .pool = {endpoint.tenant, endpoint.key, endpoint.version},
      .url = endpoint.config.url,
      .headers = {},
      .body =
          event::splice_delivery(event.envelope, event.data_offset,
                                 {.endpoint = endpoint.id,
                                  .round = delivery.record.round,
                                  .after = planted(Planted::sequence_without_after) ? std::nullopt : delivery.after}),
      .timeout = endpoint.config.timeout,
      .fresh_connection = false,
  };
  std::string& headers = request.headers;
  headers.reserve(512);
  line(headers, "content-type", "application/json");
  line(headers, "accept-encoding", "identity");
  line(headers, "user-agent", "Semel/" SEMEL_VERSION);
  line(headers, "webhook-id", event.id.text);
  line(headers, "webhook-timestamp", signature::format_timestamp(now));
  line(headers, "webhook-signature", endpoint.signer.sign(event.id.text, now, request.body));
  line(headers, "semel-attempt", std::to_string(attempt));
  if (event.ordering_key) line(headers, "semel-ordering-key", percent_encode(*event.ordering_key));
  if (event.sequence) line(headers, "semel-sequence", std::to_string(*event.sequence));
  if (event.correlation_id) line(headers, "semel-correlation-id", *event.correlation_id);
  return request;
}

}  // namespace semel::engine
