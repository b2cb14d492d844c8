// api_client.cc: one connection, Bearer and JSON.
#include "support/api_client.h"

#include <fmt/format.h>

namespace semel::harness {

Result<ApiAnswer> ApiAnswer::read(HttpAnswer answer) {
  ApiAnswer made;
  made.http_ = std::make_shared<const HttpAnswer>(std::move(answer));
  Result<JsonDocument> document =
      parse_json(made.http_->body.empty() ? std::string_view("null") : std::string_view(made.http_->body));
  if (!document)
    return fail(Fault::corrupt, fmt::format("the body of answer {} is no JSON ({}): {}", made.status(),
                                            document.error().note, made.body()));
  made.document_ = std::make_shared<const JsonDocument>(std::move(*document));
  return made;
}

std::string ApiAnswer::text(std::string_view member) const {
  return root().kind() == JsonKind::object ? text_of(root(), member) : std::string();
}

std::string text_of(const JsonValue& object, std::string_view member) {
  const std::optional<JsonValue> found = object.find(member);
  return found && found->kind() != JsonKind::null ? std::string(found->text()) : std::string();
}

std::int64_t number_of(const JsonValue& object, std::string_view member) {
  const std::optional<JsonValue> found = object.find(member);
  return found && found->kind() == JsonKind::number ? found->integer().value_or(0) : 0;
}

Result<ApiAnswer> ApiClient::send(HttpRequest request, milliseconds timeout) {
  request.headers.emplace_back("authorization", "Bearer " + key_);
  SEMEL_TRY(answer, http_.send(request, timeout));
  return ApiAnswer::read(std::move(answer));
}

Result<ApiAnswer> ApiClient::get(std::string_view target) { return send({.target = std::string(target)}); }

Result<ApiAnswer> ApiClient::post(std::string_view target, std::string_view json, const HttpHeaders& headers,
                                  milliseconds timeout) {
  HttpRequest request{.method = "POST", .target = std::string(target), .headers = headers, .body = std::string(json)};
  if (!json.empty()) request.headers.emplace_back("content-type", "application/json");
  return send(std::move(request), timeout);
}

Result<ApiAnswer> ApiClient::remove(std::string_view target) {
  return send({.method = "DELETE", .target = std::string(target)});
}

Result<std::string> ApiClient::create_endpoint(const NewEndpoint& endpoint) {
  SEMEL_TRY(answer, post("/v1/endpoints", fmt::format(R"({{"url":"{}"{}{}}})", endpoint.url,
                                                      endpoint.members.empty() ? "" : ",", endpoint.members)));
  if (answer.status() != 201)
    return fail(Fault::invalid, fmt::format("POST /v1/endpoints: {} {}", answer.status(), answer.body()));
  return answer.text("id");
}

}  // namespace semel::harness
