// load.cc: 64 keep-alive connections, one request in flight on each.
#include "pipeline/load.h"

#include <fmt/format.h>

#include <deque>

#include "pipeline/arrivals.h"
#include "pipeline/sockets.h"
#include "support/http_scan.h"

namespace semel::bench {
namespace {

constexpr std::int64_t kRestNs = 10'000'000;

struct Client {
  int fd;
  std::string in;
  std::size_t number = 0;
  std::int64_t sent_ns = 0;
};

struct Resting {
  Client* client;
  std::int64_t until_ns;
};

std::string body_of(std::size_t number) {
  std::string body = fmt::format(R"({{"type":"bench.event",{}{:08}","pad":")", kNumberMark, number);
  body.append(kEventBytes - body.size() - 3, 'x');
  return body + "\"}}";
}

class Load {
 public:
  explicit Load(const LoadPlan& plan) : plan_(plan) {
    const std::string authorization =
        plan.bearer.empty() ? "" : fmt::format("authorization: Bearer {}\r\n", plan.bearer);
    head_ = fmt::format(
        "POST /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n{}content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        authorization, kEventBytes);
  }

  LoadResult run() {
    result_.started_ns = monotonic_ns();
    end_ns_ = result_.started_ns + static_cast<std::int64_t>(plan_.seconds * 1e9);
    result_.accepted_at_ns.resize(1);
    for (int i = 0; i < plan_.clients; ++i) {
      Client& client = clients_.emplace_back(Client{connect_to_loopback(plan_.port), {}});
      watch(epoll_, client.fd, &client);
      send_next(client);
    }
    epoll_event events[128];
    while (in_flight_ > 0 || !resting_.empty()) {
      const int count = epoll_wait(epoll_, events, 128, resting_.empty() ? 1000 : 2);
      for (int i = 0; i < count; ++i) read_answer(*static_cast<Client*>(events[i].data.ptr));
      wake_rested();
    }
    for (const Client& client : clients_) close(client.fd);
    close(epoll_);
    return std::move(result_);
  }

 private:
  void send_next(Client& client) {
    const std::int64_t now = monotonic_ns();
    result_.ended_ns = now;
    if (now >= end_ns_ || last_number_ == kEventsMax) return;
    client.number = ++last_number_;
    client.sent_ns = now;
    result_.accepted_at_ns.push_back(0);
    send_whole(client.fd, head_ + body_of(client.number));
    ++in_flight_;
  }

  void read_answer(Client& client) {
    char buffer[8192];
    const ssize_t count = recv(client.fd, buffer, sizeof buffer, 0);
    SEMEL_CHECK(count > 0 || errno == EAGAIN);
    if (count <= 0) return;
    client.in.append(buffer, static_cast<std::size_t>(count));
    const auto answer = harness::scan_message(client.in);
    if (!answer) return;
    const int status = harness::status_of(answer->head);
    client.in.clear();
    --in_flight_;
    const std::int64_t now = monotonic_ns();
    if (status != 202) {
      ++result_.refused;
      resting_.push_back({&client, now + kRestNs});
      return;
    }
    ++result_.accepted;
    result_.answer_ns.push_back(now - client.sent_ns);
    result_.accepted_at_ns[client.number] = now;
    send_next(client);
  }

  void wake_rested() {
    while (!resting_.empty() && resting_.front().until_ns <= monotonic_ns()) {
      Client& client = *resting_.front().client;
      resting_.pop_front();
      send_next(client);
    }
  }

  const LoadPlan& plan_;
  std::string head_;
  LoadResult result_;
  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  std::deque<Client> clients_;
  std::deque<Resting> resting_;
  std::size_t last_number_ = 0;
  std::int64_t in_flight_ = 0;
  std::int64_t end_ns_ = 0;
};

}  // namespace

LoadResult run_load(const LoadPlan& plan) { return Load(plan).run(); }

}  // namespace semel::bench
