// api_client.h: the HTTP API as a person with a key uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "support/http_client.h"

namespace semel::harness {

// An answer whose body is JSON.
class ApiAnswer {
 public:
  static Result<ApiAnswer> read(HttpAnswer answer);
  int status() const { return http_->status; }
  const HttpAnswer& http() const { return *http_; }
  const std::string& body() const { return http_->body; }
  JsonValue root() const { return document_->root(); }
  std::string code() const { return text("code"); }  // of a problem

  // A member of the root object; empty when absent or of another kind.
  std::string text(std::string_view member) const;

 private:
  std::shared_ptr<const HttpAnswer> http_;
  std::shared_ptr<const JsonDocument> document_;
};

// A member of a JSON object: its text (numbers as they are written), empty when absent.
std::string text_of(const JsonValue& object, std::string_view member);
std::int64_t number_of(const JsonValue& object, std::string_view member);  // 0 when absent

struct NewEndpoint {
  std::string url;
  std::string members;  // further members of the JSON object, without the outer commas
};

class ApiClient {
 public:
  ApiClient(std::uint16_t port, std::string key) : http_(port), key_(std::move(key)) {}

  Result<ApiAnswer> get(std::string_view target);
  Result<ApiAnswer> post(std::string_view target, std::string_view json, const HttpHeaders& headers = {},
                         milliseconds timeout = milliseconds(10'000));
  Result<ApiAnswer> remove(std::string_view target);
  Result<ApiAnswer> send(HttpRequest request, milliseconds timeout = milliseconds(10'000));

  // The id of the endpoint made; Fault::invalid with the problem when it was refused.
  Result<std::string> create_endpoint(const NewEndpoint& endpoint);

 private:
  HttpClient http_;
  std::string key_;
};

}  // namespace semel::harness
