// scripted_receiver.cc: one thread, poll, one request after the other on each connection.
#include "support/scripted_receiver.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>

#include "base/check.h"
#include "support/http_scan.h"

namespace semel::tests {

std::string Received::header(std::string_view lower_case_name) const {
  return std::string(harness::header(head, std::string(lower_case_name) + ":"));
}

std::string answer(int status, std::string_view header_lines, std::string_view body) {
  return fmt::format("HTTP/1.1 {} Scripted\r\n{}content-length: {}\r\n\r\n{}", status, header_lines, body.size(), body);
}

ScriptedReceiver::ScriptedReceiver(Script script) : script_(std::move(script)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stop_ = eventfd(0, EFD_CLOEXEC);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  SEMEL_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener_, 64) == 0);
  SEMEL_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

ScriptedReceiver::~ScriptedReceiver() {
  const std::uint64_t one = 1;
  SEMEL_CHECK(write(stop_, &one, sizeof one) == sizeof one);
  thread_.join();
  close(stop_);
  close(listener_);
}

std::string ScriptedReceiver::url() const { return fmt::format("http://127.0.0.1:{}/hook", port_); }

void ScriptedReceiver::set_script(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

bool ScriptedReceiver::wait_for(std::size_t count, milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return more_.wait_for(lock, timeout, [&] { return received_.size() >= count; });
}

std::vector<Received> ScriptedReceiver::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

std::optional<std::string> ScriptedReceiver::take(Received request) {
  const std::lock_guard lock(mutex_);
  received_.push_back(std::move(request));
  more_.notify_all();
  return script_(received_.back(), received_.size());
}

void ScriptedReceiver::serve() {
  std::map<int, std::string> connections;
  for (;;) {
    std::vector<pollfd> polled{{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& [fd, in] : connections) polled.push_back({fd, POLLIN, 0});
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[0].revents != 0) break;
    if (polled[1].revents != 0)
      if (const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); fd >= 0) connections[fd];
    for (std::size_t i = 2; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      char buffer[64 * 1024];
      const ssize_t count = recv(polled[i].fd, buffer, sizeof buffer, 0);
      if (count <= 0) {
        close(polled[i].fd);
        connections.erase(polled[i].fd);
        continue;
      }
      std::string& in = connections[polled[i].fd];
      in.append(buffer, static_cast<std::size_t>(count));
      const std::optional<harness::Message> message = harness::scan_message(in);
      if (!message) continue;
      const std::optional<std::string> out =
          take({std::string(message->head), std::string(message->body), std::chrono::steady_clock::now()});
      in.clear();
      // A peer that was killed meanwhile does not matter here.
      if (out && ::send(polled[i].fd, out->data(), out->size(), MSG_NOSIGNAL) < 0) continue;
    }
  }
  for (const auto& [fd, in] : connections) close(fd);
}

}  // namespace semel::tests
