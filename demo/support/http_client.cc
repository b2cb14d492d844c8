// http_client.cc: plain sockets and poll.
#include "support/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "support/http_scan.h"

namespace semel::harness {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

int ms_until(SteadyTime deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

bool wait_for(int fd, short events, SteadyTime deadline) {
  pollfd ready{.fd = fd, .events = events, .revents = 0};
  return poll(&ready, 1, ms_until(deadline)) > 0;
}

std::string bytes_of(const HttpRequest& request) {
  std::string bytes = fmt::format("{} {} HTTP/1.1\r\nhost: 127.0.0.1\r\n", request.method, request.target);
  for (const auto& [name, value] : request.headers) bytes += fmt::format("{}: {}\r\n", name, value);
  if (request.method != "GET") bytes += fmt::format("content-length: {}\r\n", request.body.size());
  return bytes + "\r\n" + request.body;
}

Error cut(std::string_view what) { return {Fault::unknown_outcome, fmt::format("connection {}", what)}; }

}  // namespace

std::string HttpAnswer::header(std::string_view lower_case_name) const {
  return std::string(harness::header(head, std::string(lower_case_name) + ":"));
}

HttpClient::~HttpClient() { disconnect(); }

void HttpClient::disconnect() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Result<void> HttpClient::connect() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(fd);
    return fail(Fault::unavailable, fmt::format("port {}: {}", port_, std::strerror(error)));
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fd_ = fd;
  return {};
}

Result<HttpAnswer> HttpClient::send(const HttpRequest& request, milliseconds timeout) {
  const bool reused = fd_ >= 0;
  const std::string bytes = bytes_of(request);
  Result<HttpAnswer> answer = send_bytes(bytes, timeout);
  const bool stale = !answer && reused && answer.error().fault == Fault::unknown_outcome;
  return stale && request.method == "GET" ? send_bytes(bytes, timeout) : std::move(answer);
}

Result<HttpAnswer> HttpClient::send_bytes(std::string_view bytes, milliseconds timeout) {
  if (fd_ < 0) SEMEL_TRY_VOID(connect());
  Result<HttpAnswer> answer = exchange(bytes, timeout);
  if (!answer || answer->header("connection") == "close") disconnect();
  return answer;
}

Result<HttpAnswer> HttpClient::exchange(std::string_view bytes, milliseconds timeout) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + timeout;
  while (!bytes.empty()) {
    if (!wait_for(fd_, POLLOUT, deadline)) return fail(Fault::timed_out, "the request could not be written in time");
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) continue;
    if (count < 0) break;  // refused while it was sent: there may be an answer to read
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  std::string in;
  char buffer[16 * 1024];
  for (;;) {
    if (!wait_for(fd_, POLLIN, deadline)) return fail(Fault::timed_out, "no complete answer in time");
    const ssize_t count = recv(fd_, buffer, sizeof buffer, 0);
    if (count < 0) return std::unexpected(cut(std::strerror(errno)));
    if (count == 0) return std::unexpected(cut("closed before the answer was complete"));
    in.append(buffer, static_cast<std::size_t>(count));
    if (const std::optional<Message> answer = scan_message(in); answer && status_of(answer->head) >= 200)
      return HttpAnswer{status_of(answer->head), std::string(answer->head), std::string(answer->body)};
  }
}

}  // namespace semel::harness
