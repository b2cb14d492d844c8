// http_client.h: a small blocking HTTP/1.1 client for loopback, with keep-alive. It shares nothing with src/http, so
// that what it was told is an account of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace semel::harness {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string target;
  HttpHeaders headers;
  std::string body;
};

struct HttpAnswer {
  int status = 0;
  std::string head;
  std::string body;
  std::string header(std::string_view lower_case_name) const;  // empty when absent
};

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : port_(port) {}
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Fault::unavailable: nothing was sent. Fault::unknown_outcome or timed_out: a complete answer never came.
  Result<HttpAnswer> send(const HttpRequest& request, milliseconds timeout = milliseconds(10'000));

  // Sends these bytes as they are and reads one answer.
  Result<HttpAnswer> send_bytes(std::string_view bytes, milliseconds timeout = milliseconds(10'000));

 private:
  Result<void> connect();
  Result<HttpAnswer> exchange(std::string_view bytes, milliseconds timeout);
  void disconnect();

  std::uint16_t port_;
  int fd_ = -1;
};

}  // namespace semel::harness
