// endpoints.cc: /v1/endpoints. A secret is shown in the answer that makes it, and never again.
#include "api/answer.h"
#include "api/body.h"
#include "api/resources.h"
#include "core/endpoint/config.h"

namespace semel::api {

namespace {

const char* name_of(retry::ClientErrors choice) {
  switch (choice) {
    case retry::ClientErrors::retry:
      return "retry";
    case retry::ClientErrors::give_up:
      return "give_up";
  }
  std::unreachable();
}

void append_config_members(JsonWriter& json, const endpoint::Config& config) {
  json.member("url", config.url.text())
      .member("ordering", endpoint::name_of(config.ordering))
      .member("on_dead", "block")
      .member("on_unknown", "resend")
      .member("client_errors", name_of(config.rules.client_errors))
      .key("retry_policy")
      .raw(retry::policy_json(config.rules.policy))
      .member("timeout_ms", config.timeout.count())
      .member("max_in_flight", config.max_in_flight);
}

// Fault::corrupt when the stored configuration cannot be read.
Result<void> append_members(JsonWriter& json, const store::Endpoint& row) {
  SEMEL_TRY(config, endpoint::read_config_json(row.config_json));
  json.member("id", row.id.text);
  append_config_members(json, config);
  json.member("version", row.version.value).member("created_at", format_rfc3339(row.created_at));
  if (row.deleted_at) json.member("deleted_at", format_rfc3339(*row.deleted_at));
  if (row.wait) json.member("waits_until", format_rfc3339(row.wait->until));
  return {};
}

Answer created(const engine::MadeEndpoint& made) {
  JsonWriter json;
  json.object();
  if (const Result<void> appended = append_members(json, made.row); !appended) return refuse(appended.error());
  json.member("secret", made.secret);
  if (!made.public_key.empty()) json.member("public_key", made.public_key);
  HttpResponse response = json_response(201, json.end().take());
  response.headers.emplace_back("location", "/v1/endpoints/" + made.row.id.text);
  return response;
}

}  // namespace

Co<Answer> create_endpoint(Services& services, ApiCall call) {
  const Answered<JsonDocument> document = read_body(call.request);
  if (!document) co_return std::unexpected(document.error());
  auto endpoint = endpoint::read_new_endpoint(document->root(), services.egress);
  if (!endpoint) {
    const endpoint::ConfigError& error = endpoint.error();
    co_return std::unexpected(member_problem(error.code, error.member, error.note));
  }
  const Result<engine::MadeEndpoint> made = co_await services.endpoints.create(call.tenant, *std::move(endpoint));
  if (!made && made.error().fault == Fault::unknown_outcome) services.dispatcher.look_again(made.error().note);
  if (!made) co_return refuse(made.error());
  // In the same turn of the loop as the commit's answer: deliveries of a later commit find their endpoint.
  services.dispatcher.endpoint_added(services.endpoints.find(made->row.key));
  co_return created(*made);
}

Co<Answer> list_endpoints(Services& services, ApiCall call) {
  const Result<std::vector<store::Endpoint>> rows = co_await services.endpoints.list(call.tenant);
  if (!rows) co_return refuse(rows.error());
  JsonWriter json;
  json.object().key("endpoints").array();
  for (const store::Endpoint& row : *rows) {
    json.object();
    if (const Result<void> appended = append_members(json, row); !appended) co_return refuse(appended.error());
    json.end();
  }
  co_return json_response(200, json.end().end().take());
}

Co<Answer> show_endpoint(Services& services, ApiCall call) {
  const Result<store::Endpoint> row = co_await services.endpoints.show(call.tenant, EndpointId{call.path.front()});
  if (!row) co_return refuse(row.error());
  JsonWriter json;
  json.object();
  if (const Result<void> appended = append_members(json, *row); !appended) co_return refuse(appended.error());
  co_return json_response(200, json.end().take());
}

Co<Answer> delete_endpoint(Services& services, ApiCall call) {
  const Result<EndpointKey> gone = co_await services.endpoints.remove(call.tenant, EndpointId{call.path.front()});
  if (!gone) co_return refuse(gone.error());
  services.dispatcher.endpoint_removed(*gone);
  co_return no_content();
}

}  // namespace semel::api
