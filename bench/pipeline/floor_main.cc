// floor_main.cc: the least that a sender with these rows can do, to measure semel against.
//
// Raw epoll on one thread: takes POSTs, reads the JSON with simdjson, hands the event to the writer thread, answers 202
// only after its commit, then sends it HMAC-signed on one of 64 keep-alive connections and records attempt and outcome
// in a later group commit. It checks nothing else, retries nothing and loses what a crash interrupts.
#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <simdjson.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_set>

#include "base/bytes.h"
#include "base/id.h"
#include "pipeline/floor_store.h"
#include "pipeline/sockets.h"
#include "support/http_scan.h"

namespace semel::bench {
using harness::Message;
using harness::scan_message;
using harness::status_of;
namespace {

constexpr int kSenders = 64;

std::int64_t wall_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// HMAC-SHA256 with the key set once.
class Hmac {
 public:
  explicit Hmac(std::string_view key) {
    EVP_MAC* mac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    context_ = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_END};
    SEMEL_CHECK(EVP_MAC_init(context_, as_bytes(key).data(), key.size(), params) == 1);
  }
  std::string sign(std::string_view id, std::string_view timestamp, std::string_view body) {
    EVP_MAC_init(context_, nullptr, 0, nullptr);
    for (const std::string_view part : {id, std::string_view("."), timestamp, std::string_view("."), body})
      EVP_MAC_update(context_, as_bytes(part).data(), part.size());
    unsigned char out[32];
    std::size_t size = sizeof out;
    SEMEL_CHECK(EVP_MAC_final(context_, out, &size, sizeof out) == 1);
    return to_base64(as_text({out, size}));
  }

 private:
  EVP_MAC_CTX* context_ = nullptr;
};

struct Connection {
  enum class Side { wakeup, stop, listener, producer, receiver };
  Side side;
  int fd;
  std::string in;
  NewEvent sending;  // of a receiver: the event under way
  std::int64_t started_at_ms = 0;
};

class Floor {
 public:
  Floor(const std::string& path, std::uint16_t receiver_port);
  std::uint16_t port() const { return port_; }
  void run();

 private:
  void accept_producer();
  bool read_more(Connection& connection);
  void read_submission(Connection& producer);
  void read_answer(Connection& receiver);
  void take_commits();
  void send_waiting();
  void send_to(Connection& receiver, NewEvent event);

  int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  std::uint16_t port_ = 0;
  std::deque<Connection> connections_;
  Connection* listener_ = nullptr;
  Connection* wakeup_ = nullptr;
  std::vector<Connection*> idle_receivers_;
  std::deque<NewEvent> waiting_;
  std::int64_t last_row_ = 0;
  SeededRandom random_{1};
  simdjson::ondemand::parser parser_;
  Hmac hmac_{"0123456789abcdef0123456789abcdef"};
  std::mutex committed_mutex_;
  std::vector<NewEvent> committed_;
  std::unique_ptr<FloorStore> store_;
};

Floor::Floor(const std::string& path, std::uint16_t receiver_port) {
  const auto add = [&](Connection::Side side, int fd) -> Connection* {
    Connection& made = connections_.emplace_back();
    made.side = side;
    made.fd = fd;
    watch(epoll_, fd, &made);
    return &made;
  };
  const Listening listening = listen_on_loopback();
  port_ = listening.port;
  listener_ = add(Connection::Side::listener, listening.fd);
  wakeup_ = add(Connection::Side::wakeup, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  SEMEL_CHECK(pthread_sigmask(SIG_BLOCK, &stop, nullptr) == 0);
  add(Connection::Side::stop, signalfd(-1, &stop, SFD_NONBLOCK | SFD_CLOEXEC));
  for (int i = 0; i < kSenders; ++i)
    idle_receivers_.push_back(add(Connection::Side::receiver, connect_to_loopback(receiver_port)));
  store_ = std::make_unique<FloorStore>(path, [this](std::vector<NewEvent> events) {
    {
      const std::lock_guard lock(committed_mutex_);
      for (NewEvent& event : events) committed_.push_back(std::move(event));
    }
    const std::uint64_t one = 1;
    SEMEL_CHECK(write(wakeup_->fd, &one, sizeof one) == sizeof one);
  });
}

void Floor::run() {
  epoll_event events[128];
  for (;;) {
    const int count = epoll_wait(epoll_, events, 128, -1);
    for (int i = 0; i < count; ++i) {
      Connection& connection = *static_cast<Connection*>(events[i].data.ptr);
      switch (connection.side) {
        case Connection::Side::stop:
          return;
        case Connection::Side::listener:
          accept_producer();
          break;
        case Connection::Side::wakeup:
          take_commits();
          break;
        case Connection::Side::producer:
          read_submission(connection);
          break;
        case Connection::Side::receiver:
          read_answer(connection);
          break;
      }
    }
    send_waiting();
  }
}

void Floor::accept_producer() {
  const int fd = accept4(listener_->fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  no_delay(fd);
  Connection& made = connections_.emplace_back();
  made.side = Connection::Side::producer;
  made.fd = fd;
  watch(epoll_, fd, &made);
}

bool Floor::read_more(Connection& connection) {
  char buffer[16 * 1024];
  const ssize_t count = recv(connection.fd, buffer, sizeof buffer, 0);
  if (count > 0) {
    connection.in.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  if (count == 0 || errno != EAGAIN) {
    close(connection.fd);
    connection.fd = -1;
  }
  return false;
}

void Floor::read_submission(Connection& producer) {
  if (!read_more(producer)) return;
  const std::optional<Message> request = scan_message(producer.in);
  if (!request) return;
  producer.in.reserve(producer.in.size() + simdjson::SIMDJSON_PADDING);
  const std::size_t body_at = static_cast<std::size_t>(request->body.data() - request->head.data());
  const simdjson::padded_string_view json(producer.in.data() + body_at, request->body.size(),
                                          producer.in.capacity() - body_at);
  simdjson::ondemand::document document;
  std::string_view type;
  std::string_view data;
  SEMEL_CHECK(parser_.iterate(json).get(document) == simdjson::SUCCESS);
  SEMEL_CHECK(document["type"].get_string().get(type) == simdjson::SUCCESS);
  SEMEL_CHECK(document["data"].get_object().value().raw_json().get(data) == simdjson::SUCCESS);

  const std::int64_t now = wall_ms();
  NewEvent event{.row = ++last_row_,
                 .id = make_id("evt_", WallTime{now}, random_),
                 .type = std::string(type),
                 .envelope = {},
                 .accepted_at_ms = now,
                 .waiting = &producer};
  const std::string at = format_rfc3339(WallTime{now});
  event.envelope =
      fmt::format(R"({{"id":"{}","type":"{}","timestamp":"{}","accepted_at":"{}","tenant":"default","data":{}}})",
                  event.id, type, at, at, data);
  producer.in.clear();
  store_->add(std::move(event));
}

void Floor::take_commits() {
  std::uint64_t count = 0;
  SEMEL_CHECK(read(wakeup_->fd, &count, sizeof count) == sizeof count);
  std::vector<NewEvent> events;
  {
    const std::lock_guard lock(committed_mutex_);
    events.swap(committed_);
  }
  for (NewEvent& event : events) {
    Connection& producer = *static_cast<Connection*>(event.waiting);
    if (producer.fd >= 0) {
      const std::string body = fmt::format(R"({{"id":"{}","accepted_at":"{}","duplicate":false,"routing":"matched"}})",
                                           event.id, format_rfc3339(WallTime{event.accepted_at_ms}));
      send_whole(producer.fd,
                 fmt::format("HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
                             body.size(), body));
    }
    waiting_.push_back(std::move(event));
  }
}

void Floor::send_waiting() {
  while (!waiting_.empty() && !idle_receivers_.empty()) {
    Connection& receiver = *idle_receivers_.back();
    idle_receivers_.pop_back();
    send_to(receiver, std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

void Floor::send_to(Connection& receiver, NewEvent event) {
  receiver.started_at_ms = wall_ms();
  const std::string timestamp = fmt::to_string(receiver.started_at_ms / 1000);
  const std::string signature = hmac_.sign(event.id, timestamp, event.envelope);
  send_whole(
      receiver.fd,
      fmt::format("POST /hook HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: floor\r\ncontent-type: application/json\r\n"
                  "webhook-id: {}\r\nwebhook-timestamp: {}\r\nwebhook-signature: v1,{}\r\ncontent-length: {}\r\n\r\n{}",
                  event.id, timestamp, signature, event.envelope.size(), event.envelope));
  receiver.sending = std::move(event);
}

void Floor::read_answer(Connection& receiver) {
  if (!read_more(receiver)) return;
  const std::optional<Message> answer = scan_message(receiver.in);
  if (!answer) return;
  store_->settle({.row = receiver.sending.row,
                  .started_at_ms = receiver.started_at_ms,
                  .settled_at_ms = wall_ms(),
                  .http_status = status_of(answer->head)});
  receiver.in.clear();
  idle_receivers_.push_back(&receiver);
}

}  // namespace
}  // namespace semel::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: semel-bench-floor DATABASE_FILE RECEIVER_PORT\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  semel::bench::Floor floor(argv[1], static_cast<std::uint16_t>(std::atoi(argv[2])));
  fmt::print("listening on http://127.0.0.1:{}\n", floor.port());
  std::fflush(stdout);
  floor.run();
}
