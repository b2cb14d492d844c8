// sink_main.cc: the receiver of the benchmark: answers 200 at once and notes when each event arrived.
//
// The events carry their number as the first member of data (`"data":{"n":"n00000042",`). The time of arrival goes into
// slot n of a file of 64-bit nanoseconds that the load generator maps too; slot 0 counts the arrivals.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>
#include <deque>
#include <string>

#include "pipeline/arrivals.h"
#include "pipeline/sockets.h"
#include "support/http_scan.h"

namespace semel::bench {
using harness::Message;
using harness::scan_message;
namespace {

struct Connection {
  int fd;
  std::string in;
};

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

void take_requests(Connection& connection, Arrivals& arrivals) {
  char buffer[16 * 1024];
  const ssize_t count = recv(connection.fd, buffer, sizeof buffer, 0);
  if (count <= 0) {
    if (count == 0 || errno != EAGAIN) close(connection.fd);
    return;
  }
  connection.in.append(buffer, static_cast<std::size_t>(count));
  while (const std::optional<Message> request = scan_message(connection.in)) {
    arrivals.note(request->body);
    const std::size_t size = request->size();
    connection.in.erase(0, size);
    send_whole(connection.fd, kAnswer);
  }
}

void run(Arrivals& arrivals) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const Listening listening = listen_on_loopback();
  std::deque<Connection> connections;
  watch(epoll, listening.fd, nullptr);
  fmt::print("listening on http://127.0.0.1:{}\n", listening.port);
  std::fflush(stdout);
  epoll_event events[128];
  for (;;) {
    const int count = epoll_wait(epoll, events, 128, -1);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.ptr != nullptr) {
        take_requests(*static_cast<Connection*>(events[i].data.ptr), arrivals);
        continue;
      }
      const int fd = accept4(listening.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) continue;
      no_delay(fd);
      watch(epoll, fd, &connections.emplace_back(Connection{fd, {}}));
    }
  }
}

}  // namespace
}  // namespace semel::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: semel-bench-sink ARRIVALS_FILE\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  semel::bench::Arrivals arrivals(argv[1]);
  semel::bench::run(arrivals);
}
