// tcp_test.cc: the network port without TLS, on loopback sockets.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "edge/net/net.h"
#include "edge/net/sockaddr.h"
#include "edge/net/test_await.h"
#include "edge/os/descriptor.h"

namespace semel {
namespace {

using Connected = std::expected<std::unique_ptr<Stream>, ConnectFailure>;
using Read = Result<std::size_t>;
using Written = Result<Nothing>;
using std::chrono::milliseconds;

const SocketAddress kLoopback = egress::parse_socket_address("127.0.0.1:0").value();
const SocketAddress kLoopback6 = egress::parse_socket_address("[::1]:0").value();

class Tcp : public testing::Test {
 protected:
  void TearDown() override { listener_.reset(); }

  SocketAddress listen(const SocketAddress& at = kLoopback) {
    auto listening = net_->listen(at, [this](std::unique_ptr<Stream> stream) {
      accepted_.push_back(std::move(stream));
      if (waiting_for_accept_) t_.loop.stop();
    });
    EXPECT_TRUE(listening) << listening.error().note;
    listener_ = *std::move(listening);
    return listener_->local();
  }
  Connected connect(const SocketAddress& to) {
    Cancel cancel;
    Pending<Connected> pending(t_);
    net_->start_connect({.address = to, .tls = std::nullopt}, cancel, pending.done());
    return pending.wait();
  }
  // Both ends of one connection.
  void connect_pair() {
    client_ = connect(listen()).value();
    wait_accepted();
    server_ = std::move(accepted_.back());
    accepted_.pop_back();
  }
  void wait_accepted() {
    waiting_for_accept_ = true;
    if (accepted_.empty()) ASSERT_TRUE(t_.run());
    waiting_for_accept_ = false;
  }
  Read read(Stream& stream, std::span<char> into) {
    Cancel cancel;
    Pending<Read> pending(t_);
    stream.start_read(into, cancel, pending.done());
    return pending.wait();
  }
  std::string read_text(Stream& stream) {
    std::string text(100, '\0');
    text.resize(read(stream, text).value_or(0));
    return text;
  }
  Written write(Stream& stream, std::string_view bytes) {
    Cancel cancel;
    Pending<Written> pending(t_);
    stream.start_write(bytes, cancel, pending.done());
    return pending.wait();
  }

  TestLoop t_;
  std::unique_ptr<Net> net_ = make_net(t_.loop, {}).value();
  std::unique_ptr<Listener> listener_;
  std::vector<std::unique_ptr<Stream>> accepted_;
  bool waiting_for_accept_ = false;
  std::unique_ptr<Stream> client_;
  std::unique_ptr<Stream> server_;
};

TEST_F(Tcp, bytes_go_both_ways_and_the_end_is_zero) {
  connect_pair();
  ASSERT_TRUE(write(*client_, "ping"));
  EXPECT_EQ(read_text(*server_), "ping");
  ASSERT_TRUE(write(*server_, "pong"));
  EXPECT_EQ(read_text(*client_), "pong");
  server_.reset();
  char byte = 0;
  EXPECT_EQ(read(*client_, {&byte, 1}).value(), 0u);
}

TEST_F(Tcp, both_ends_know_each_other) {
  connect_pair();
  EXPECT_EQ(client_->peer(), listener_->local());
  EXPECT_EQ(egress::format_ip(server_->peer().ip), "127.0.0.1");
  EXPECT_NE(server_->peer().port, listener_->local().port);
}

TEST_F(Tcp, works_over_ipv6) {
  client_ = connect(listen(kLoopback6)).value();
  wait_accepted();
  EXPECT_EQ(egress::format_ip(accepted_.back()->peer().ip), "::1");
}

TEST_F(Tcp, a_read_that_waits_gets_what_comes_later) {
  connect_pair();
  std::string text(10, '\0');
  Cancel cancel;
  Pending<Read> pending(t_);
  server_->start_read(text, cancel, pending.done());
  let_pass(t_, milliseconds(2));
  ASSERT_FALSE(pending.completed());
  ASSERT_TRUE(write(*client_, "late"));
  ASSERT_EQ(pending.wait().value(), 4u);
  EXPECT_EQ(text.substr(0, 4), "late");
}

TEST_F(Tcp, a_write_larger_than_all_buffers_waits_for_the_reader_and_arrives_whole) {
  connect_pair();
  std::string sent(32 * 1024 * 1024, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i % 251);
  Cancel cancel;
  Pending<Written> pending(t_);
  client_->start_write(sent, cancel, pending.done());
  let_pass(t_, milliseconds(5));
  ASSERT_FALSE(pending.completed());
  std::string got, part(256 * 1024, '\0');
  while (got.size() < sent.size()) {
    const Read size = read(*server_, part);
    ASSERT_TRUE(size && *size > 0);
    got.append(part, 0, *size);
  }
  ASSERT_TRUE(pending.wait());
  EXPECT_TRUE(got == sent);
}

TEST_F(Tcp, many_writes_in_a_row_need_no_deeper_stack_than_a_few) {
  connect_pair();
  Cancel cancel;
  int written = 0, depth = 0, deepest = 0;
  std::string part(65536, '\0');
  std::function<void()> drain = [&] {
    server_->start_read(part, cancel, [&](Read size) {
      if (size && *size > 0) drain();
    });
  };
  drain();
  std::function<void()> next = [&] {
    deepest = std::max(deepest, ++depth);
    client_->start_write(std::string_view("x"), cancel, [&](Written result) {
      ASSERT_TRUE(result);
      if (++written == 20'000) return t_.loop.stop();
      next();
    });
    --depth;
  };
  t_.loop.post(next);
  ASSERT_TRUE(t_.run());
  EXPECT_LE(deepest, 40);
  server_.reset();
}

TEST_F(Tcp, a_cancelled_read_times_out_and_leaves_the_connection_as_it_was) {
  connect_pair();
  std::string text(10, '\0');
  Cancel cancel;
  Pending<Read> pending(t_);
  client_->start_read(text, cancel, pending.done());
  t_.loop.post([&] { cancel.request(); });
  EXPECT_EQ(pending.wait().error().fault, Fault::timed_out);
  ASSERT_TRUE(write(*server_, "still here"));
  EXPECT_EQ(read_text(*client_), "still here");
}

TEST_F(Tcp, cancelling_a_read_does_not_end_the_write_beside_it) {
  connect_pair();
  const std::string sent(32 * 1024 * 1024, 'w');
  std::string text(10, '\0');
  Cancel read_cancel, write_cancel;
  Pending<Read> reading(t_);
  Pending<Written> writing(t_);
  client_->start_read(text, read_cancel, reading.done());
  client_->start_write(sent, write_cancel, writing.done());
  let_pass(t_, milliseconds(2));
  read_cancel.request();
  EXPECT_EQ(reading.wait().error().fault, Fault::timed_out);
  std::size_t got = 0;
  std::string part(1024 * 1024, '\0');
  while (got < sent.size()) {
    const Read size = read(*server_, part);
    ASSERT_TRUE(size && *size > 0);
    got += *size;
  }
  EXPECT_TRUE(writing.wait());
}

TEST_F(Tcp, a_cancelled_write_times_out) {
  connect_pair();
  const std::string sent(32 * 1024 * 1024, 'w');
  Cancel cancel;
  Pending<Written> pending(t_);
  client_->start_write(sent, cancel, pending.done());
  let_pass(t_, milliseconds(2));
  cancel.request();
  EXPECT_EQ(pending.wait().error().fault, Fault::timed_out);
}

TEST_F(Tcp, operations_under_a_cancel_that_was_requested_time_out_at_once) {
  connect_pair();
  Cancel cancel;
  cancel.request();
  std::string text(10, '\0');
  Pending<Read> reading(t_);
  Pending<Written> writing(t_);
  Pending<Connected> connecting(t_);
  client_->start_read(text, cancel, reading.done());
  client_->start_write(text, cancel, writing.done());
  net_->start_connect({.address = listener_->local(), .tls = std::nullopt}, cancel, connecting.done());
  EXPECT_EQ(reading.wait().error().fault, Fault::timed_out);
  EXPECT_EQ(writing.wait().error().fault, Fault::timed_out);
  EXPECT_TRUE(connecting.wait().error().timed_out);
}

TEST_F(Tcp, abort_shows_the_peer_a_reset_and_ends_the_own_read) {
  connect_pair();
  std::string text(10, '\0');
  Cancel cancel;
  Pending<Read> own(t_), peers(t_);
  std::string peers_text(10, '\0');
  client_->start_read(text, cancel, own.done());
  Cancel peers_cancel;
  server_->start_read(peers_text, peers_cancel, peers.done());
  client_->abort();
  ASSERT_FALSE(own.completed());
  EXPECT_EQ(own.wait().error().fault, Fault::unavailable);
  const Read seen = peers.wait();
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().fault, Fault::unavailable);
  EXPECT_EQ(seen.error().note, "Connection reset by peer");
  EXPECT_EQ(write(*client_, "x").error().fault, Fault::unavailable);
  EXPECT_EQ(client_->idle(), Stream::Idle::closed);
}

TEST_F(Tcp, a_write_to_a_closed_peer_fails_without_a_signal) {
  struct sigaction before{};
  sigaction(SIGPIPE, nullptr, &before);
  ASSERT_EQ(before.sa_handler, SIG_DFL);
  connect_pair();
  server_->abort();
  char byte = 0;
  ASSERT_FALSE(read(*client_, {&byte, 1}));
  EXPECT_EQ(write(*client_, "x").error().fault, Fault::unavailable);
}

TEST_F(Tcp, a_destroyed_stream_calls_nothing) {
  connect_pair();
  bool called = false;
  std::string text(10, '\0');
  const std::string large(32 * 1024 * 1024, 'w');
  {
    Cancel cancel;
    client_->start_read(text, cancel, [&](Read) { called = true; });
    client_->start_write(large, cancel, [&](Written) { called = true; });
    client_.reset();
    cancel.request();
  }
  let_pass(t_, milliseconds(2));
  EXPECT_FALSE(called);
}

TEST_F(Tcp, an_idle_connection_says_what_it_holds) {
  connect_pair();
  EXPECT_EQ(client_->idle(), Stream::Idle::quiet);
  ASSERT_TRUE(write(*server_, "x"));
  EXPECT_EQ(client_->idle(), Stream::Idle::has_bytes);
  EXPECT_EQ(read_text(*client_), "x");
  EXPECT_EQ(client_->idle(), Stream::Idle::quiet);
  server_.reset();
  EXPECT_EQ(client_->idle(), Stream::Idle::closed);
}

TEST_F(Tcp, an_idle_connection_that_was_reset_is_closed) {
  connect_pair();
  server_->abort();
  EXPECT_EQ(client_->idle(), Stream::Idle::closed);
}

TEST_F(Tcp, a_port_where_nobody_listens_refuses) {
  const SocketAddress at = listen();
  listener_.reset();
  const Connected connected = connect(at);
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().stage, ConnectFailure::Stage::connect);
  EXPECT_FALSE(connected.error().timed_out);
  EXPECT_EQ(connected.error().note, "Connection refused");
}

// A listening socket whose backlog is full leaves a further connection without an answer.
TEST_F(Tcp, a_connect_that_gets_no_answer_is_ended_by_its_cancel) {
  const Descriptor deaf(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  SystemAddress at = to_system(kLoopback);
  ASSERT_EQ(bind(deaf.get(), at.data(), at.size), 0);
  ASSERT_EQ(::listen(deaf.get(), 0), 0);
  ASSERT_EQ(getsockname(deaf.get(), at.data(), &at.size), 0);
  const SocketAddress address = from_system(at.data()).value();
  const Connected fills_the_backlog = connect(address);
  ASSERT_TRUE(fills_the_backlog);

  Cancel cancel;
  Pending<Connected> pending(t_);
  net_->start_connect({.address = address, .tls = std::nullopt}, cancel, pending.done());
  let_pass(t_, milliseconds(5));
  ASSERT_FALSE(pending.completed());
  cancel.request();
  const Connected connected = pending.wait();
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().stage, ConnectFailure::Stage::connect);
  EXPECT_TRUE(connected.error().timed_out);
}

TEST_F(Tcp, a_port_in_use_is_busy_and_can_be_taken_again_after_its_listener) {
  const SocketAddress at = listen();
  const auto second = net_->listen(at, [](std::unique_ptr<Stream>) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().fault, Fault::busy);
  EXPECT_THAT(second.error().note, testing::HasSubstr("127.0.0.1:"));
  client_ = connect(at).value();
  wait_accepted();
  listener_.reset();
  accepted_.clear();
  EXPECT_EQ(listen(at), at);
}

TEST_F(Tcp, an_address_of_another_machine_is_invalid_to_listen_on) {
  const auto result = net_->listen(egress::parse_socket_address("192.0.2.1:0").value(), [](std::unique_ptr<Stream>) {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::invalid);
}

TEST_F(Tcp, a_listener_may_be_destroyed_by_the_connection_it_hands_over) {
  auto listening = net_->listen(kLoopback, [&](std::unique_ptr<Stream>) {
    listener_.reset();
    t_.loop.stop();
  });
  listener_ = *std::move(listening);
  Cancel cancel;
  net_->start_connect({.address = listener_->local(), .tls = std::nullopt}, cancel, [&](Connected connected) {
    if (connected) client_ = *std::move(connected);
  });
  ASSERT_TRUE(t_.run());
  EXPECT_EQ(listener_, nullptr);
}

class FewDescriptors {
 public:
  FewDescriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit few{.rlim_cur = 200, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Tcp, without_a_free_descriptor_accepting_pauses_and_goes_on_when_there_is_one) {
  const FewDescriptors few;
  const SocketAddress at = listen();
  const Descriptor visitor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::vector<Descriptor> hoard;
  for (;;) {
    Descriptor taken(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!taken) break;
    hoard.push_back(std::move(taken));
  }
  const SystemAddress to = to_system(at);
  ASSERT_EQ(::connect(visitor.get(), to.data(), to.size), 0);
  let_pass(t_, milliseconds(5));
  EXPECT_TRUE(accepted_.empty());
  EXPECT_EQ(connect(at).error().note, "Too many open files");
  hoard.clear();
  wait_accepted();
  EXPECT_EQ(accepted_.size(), 1u);
}

TEST_F(Tcp, destroying_the_net_ends_its_connects_without_a_call) {
  const SocketAddress at = listen();
  Cancel cancel;
  bool called = false;
  net_->start_connect({.address = at, .tls = std::nullopt}, cancel, [&](Connected) { called = true; });
  net_.reset();
  cancel.request();
  let_pass(t_, milliseconds(2));
  EXPECT_FALSE(called);
}

TEST(OwnAddresses, loopback_is_one_of_them) {
  const auto own = own_addresses();
  ASSERT_TRUE(own);
  EXPECT_THAT(*own, testing::Contains(egress::parse_ip("127.0.0.1").value()));
}

}  // namespace
}  // namespace semel
