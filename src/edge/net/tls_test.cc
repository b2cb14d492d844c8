// tls_test.cc: TLS connections to servers that are right, wrong, slow or rude.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <signal.h>
#include <unistd.h>

#include <latch>
#include <string>

#include "base/testing/temp_folder.h"
#include "edge/net/net.h"
#include "edge/net/test_await.h"
#include "edge/net/test_tls_peer.h"
#include "edge/net/tls_context.h"
#include "edge/os/files.h"

namespace semel {
namespace {

using Connected = std::expected<std::unique_ptr<Stream>, ConnectFailure>;
using Stage = ConnectFailure::Stage;
using std::chrono::milliseconds;

class Tls : public testing::Test {
 protected:
  Tls() {
    signal(SIGPIPE, SIG_IGN);  // the peer writes by means of OpenSSL, which does not suppress it
    setenv("SSL_CERT_FILE", folder_.file("none.pem").c_str(), 1);  // whom this machine trusts is not the matter here
    EXPECT_TRUE(write_file_atomically(folder_.file("ca.pem"), authority_.pem(), 0600));
    net_ = make_net(t_.loop, {.ca_file = folder_.file("ca.pem")}).value();
  }
  ~Tls() override { signal(SIGPIPE, SIG_DFL); }

  Identity issue(const std::string& names, long valid_for_s = 3600) const {
    return make_identity({.names = names, .issuer = &authority_, .valid_for_s = valid_for_s});
  }
  Connected connect(const TlsPeer& peer, const std::string& name) { return connect(peer.address(), name); }
  Connected connect(const SocketAddress& to, const std::string& name) {
    Cancel cancel;
    Pending<Connected> pending(t_);
    net_->start_connect({.address = to, .tls = TlsName{name}}, cancel, pending.done());
    return pending.wait();
  }
  Result<std::string> read(Stream& stream, std::size_t size_max = 100) {
    std::string text(size_max, '\0');
    Cancel cancel;
    Pending<Result<std::size_t>> pending(t_);
    stream.start_read(text, cancel, pending.done());
    SEMEL_TRY(size, pending.wait());
    text.resize(size);
    return text;
  }
  Result<Nothing> write(Stream& stream, std::string_view bytes) {
    Cancel cancel;
    Pending<Result<Nothing>> pending(t_);
    stream.start_write(bytes, cancel, pending.done());
    return pending.wait();
  }

  TestLoop t_;
  TempFolder folder_;
  Identity authority_ = make_identity({});
  std::unique_ptr<Net> net_;
};

// Reads lines of at most 100 bytes and sends each back until the other side ends.
void echo(SSL* ssl) {
  char bytes[100];
  for (int i = 0; i < 1000; ++i) {
    const int size = SSL_read(ssl, bytes, sizeof bytes);
    if (size <= 0) break;
    SSL_write(ssl, bytes, size);
  }
  SSL_shutdown(ssl);
}

TEST_F(Tls, bytes_go_both_ways_under_both_versions_and_both_kinds_of_name) {
  const Identity identity = issue("DNS:good.example,IP:127.0.0.1");
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const char* name : {"good.example", "127.0.0.1"}) {
      std::string asked_for = "(nothing)";
      {
        const TlsPeer peer(identity, {.version = version}, [&](SSL* ssl) {
          if (const char* sni = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)) asked_for = sni;
          echo(ssl);
        });
        const Connected connected = connect(peer, name);
        ASSERT_TRUE(connected) << connected.error().note;
        ASSERT_TRUE(write(**connected, "ping"));
        EXPECT_EQ(read(**connected).value(), "ping");
        EXPECT_EQ((*connected)->peer(), peer.address());
      }
      EXPECT_EQ(asked_for, std::string(name) == "good.example" ? "good.example" : "(nothing)");
    }
  }
}

TEST_F(Tls, certificate_trouble_has_its_own_stage_and_says_what_is_wrong) {
  const Identity stranger = make_identity({});
  struct Case {
    const char* what;
    Identity identity;
    const char* name;
    const char* note;
  };
  const std::vector<Case> cases = {
      {"wrong name", issue("DNS:other.example"), "good.example", "hostname mismatch"},
      {"wrong address", issue("IP:127.0.0.2"), "127.0.0.1", "IP address mismatch"},
      {"address only as a name", issue("DNS:127.0.0.1"), "127.0.0.1", "IP address mismatch"},
      {"wildcard over two labels", issue("DNS:*.example"), "a.b.example", "hostname mismatch"},
      {"part of a label as a wildcard", issue("DNS:go*.one.example"), "good.one.example", "hostname mismatch"},
      {"expired", issue("DNS:good.example", -60), "good.example", "certificate has expired"},
      {"signed by itself", make_identity({.names = "DNS:good.example"}), "good.example", "self-signed certificate"},
      {"signed by a stranger", make_identity({.names = "DNS:good.example", .issuer = &stranger}), "good.example",
       "certificate signature failure"},
  };
  for (const Case& c : cases) {
    const TlsPeer peer(c.identity, {}, [](SSL*) {});
    const Connected connected = connect(peer, c.name);
    ASSERT_FALSE(connected) << c.what;
    EXPECT_EQ(connected.error().stage, Stage::certificate) << c.what;
    EXPECT_FALSE(connected.error().timed_out) << c.what;
    EXPECT_EQ(connected.error().note, c.note) << c.what;
  }
}

TEST_F(Tls, a_chain_over_100_kib_is_certificate_trouble) {
  const Identity identity = issue("DNS:good.example");
  const TlsPeer peer(identity, {.certificates_in_chain = 400}, [](SSL*) {});
  const Connected connected = connect(peer, "good.example");
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().stage, Stage::certificate);
  EXPECT_EQ(connected.error().note, "excessive message size");
}

TEST_F(Tls, versions_before_1_2_are_refused) {
  const TlsPeer peer(issue("DNS:good.example"), {.version = TLS1_1_VERSION}, [](SSL*) {});
  const Connected connected = connect(peer, "good.example");
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().stage, Stage::tls);
  EXPECT_FALSE(connected.error().timed_out);
}

// A TCP server without TLS, on the same loop.
class Tcp : public Tls {
 protected:
  SocketAddress serve(std::function<void(Stream&)> accepted) {
    listener_ = net_->listen(egress::parse_socket_address("127.0.0.1:0").value(),
                             [this, accepted = std::move(accepted)](std::unique_ptr<Stream> stream) {
                               connection_ = std::move(stream);
                               accepted(*connection_);
                             })
                    .value();
    return listener_->local();
  }
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Stream> connection_;
  Cancel never_;
};
using TlsHandshake = Tcp;

TEST_F(TlsHandshake, an_answer_that_is_not_tls_is_a_tls_failure) {
  const SocketAddress at = serve([this](Stream& stream) {
    stream.start_write(std::string_view("HTTP/1.1 400 Bad Request\r\n\r\n"), never_, [](Result<Nothing>) {});
  });
  const Connected connected = connect(at, "good.example");
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().stage, Stage::tls);
  EXPECT_EQ(connected.error().note, "wrong version number");
}

TEST_F(TlsHandshake, an_end_in_the_middle_is_a_tls_failure_and_a_reset_a_connect_failure) {
  const SocketAddress ends = serve([this](Stream& stream) {
    static char bytes[4096];
    stream.start_read(bytes, never_, [this](Result<std::size_t>) { connection_.reset(); });
  });
  const Connected ended = connect(ends, "good.example");
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().stage, Stage::tls);
  EXPECT_EQ(ended.error().note, "unexpected eof while reading");

  const SocketAddress resets = serve([](Stream& stream) { stream.abort(); });
  const Connected reset = connect(resets, "good.example");
  ASSERT_FALSE(reset);
  EXPECT_EQ(reset.error().stage, Stage::connect);
  EXPECT_FALSE(reset.error().timed_out);
}

TEST_F(TlsHandshake, a_stalled_one_is_ended_by_its_cancel) {
  const SocketAddress at = serve([](Stream&) {});
  Cancel cancel;
  Pending<Connected> pending(t_);
  net_->start_connect({.address = at, .tls = TlsName{"good.example"}}, cancel, pending.done());
  let_pass(t_, milliseconds(5));
  ASSERT_FALSE(pending.completed());
  cancel.request();
  const Connected connected = pending.wait();
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().stage, Stage::tls);
  EXPECT_TRUE(connected.error().timed_out);
}

TEST_F(TlsHandshake, a_name_no_certificate_can_carry_is_refused) {
  const SocketAddress at = serve([](Stream&) {});
  EXPECT_EQ(connect(at, "").error().stage, Stage::certificate);
}

TEST_F(Tls, a_large_body_arrives_whole_in_both_directions) {
  std::string body(1'000'000, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i % 253);
  const TlsPeer peer(issue("DNS:good.example"), {}, [&](SSL* ssl) {
    std::string got(body.size(), '\0');
    std::size_t size = 0;
    while (size < got.size()) {
      const int n = SSL_read(ssl, got.data() + size, static_cast<int>(got.size() - size));
      if (n <= 0) return;
      size += static_cast<std::size_t>(n);
    }
    SSL_write(ssl, got.data(), static_cast<int>(got.size()));
    SSL_shutdown(ssl);
  });
  const Connected connected = connect(peer, "good.example");
  ASSERT_TRUE(connected);
  ASSERT_TRUE(write(**connected, body));
  std::string got;
  for (;;) {
    const auto part = read(**connected, 65536);
    ASSERT_TRUE(part) << part.error().note;
    if (part->empty()) break;
    got += *part;
  }
  EXPECT_TRUE(got == body);
}

TEST_F(Tls, close_notify_is_the_orderly_end_and_a_bare_end_is_not) {
  const Identity identity = issue("DNS:good.example");
  {
    const TlsPeer peer(identity, {}, [](SSL* ssl) { SSL_shutdown(ssl); });
    const Connected connected = connect(peer, "good.example");
    EXPECT_EQ(read(**connected).value(), "");
  }
  const TlsPeer peer(identity, {}, [](SSL*) {});
  const Connected connected = connect(peer, "good.example");
  const auto cut = read(**connected);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().fault, Fault::unavailable);
}

TEST_F(Tls, the_peer_sees_an_orderly_end_from_a_destroyed_stream_and_a_reset_from_an_aborted_one) {
  const Identity identity = issue("DNS:good.example");
  for (const bool abort : {false, true}) {
    int seen = -1;
    {
      const TlsPeer peer(identity, {}, [&](SSL* ssl) {
        char byte = 0;
        SSL_read(ssl, &byte, 1);
        SSL_write(ssl, &byte, 1);
        seen = SSL_get_error(ssl, SSL_read(ssl, &byte, 1));
      });
      Connected connected = connect(peer, "good.example");
      ASSERT_TRUE(connected);
      ASSERT_TRUE(write(**connected, "x"));
      ASSERT_EQ(read(**connected).value(), "x");
      if (abort) (*connected)->abort();
      connected->reset();
    }
    EXPECT_EQ(seen, abort ? SSL_ERROR_SYSCALL : SSL_ERROR_ZERO_RETURN);
  }
}

TEST_F(Tls, a_cancelled_read_times_out_and_the_connection_goes_on) {
  const TlsPeer peer(issue("DNS:good.example"), {}, echo);
  const Connected connected = connect(peer, "good.example");
  std::string text(10, '\0');
  Cancel cancel;
  Pending<Result<std::size_t>> pending(t_);
  (*connected)->start_read(text, cancel, pending.done());
  t_.loop.post([&] { cancel.request(); });
  EXPECT_EQ(pending.wait().error().fault, Fault::timed_out);
  ASSERT_TRUE(write(**connected, "again"));
  EXPECT_EQ(read(**connected).value(), "again");
}

// What an idle connection holds, after each of the things that a server may send on it.
class TlsIdle : public Tls {
 protected:
  // `send` runs on the server after the handshake, and has sent everything when this returns.
  Stream::Idle idle_after(std::function<void(SSL*)> send, int version = TLS1_3_VERSION) {
    std::latch sent(1), looked(1);
    const TlsPeer peer(identity_, {.version = version}, [&](SSL* ssl) {
      send(ssl);
      sent.count_down();
      looked.wait();
    });
    const Connected connected = connect(peer, "good.example");
    EXPECT_TRUE(connected);
    sent.wait();
    const Stream::Idle first = (*connected)->idle();
    EXPECT_EQ((*connected)->idle(), first);
    looked.count_down();
    return first;
  }
  Identity identity_ = issue("DNS:good.example");
};

TEST_F(TlsIdle, session_tickets_alone_are_quiet) {
  EXPECT_EQ(idle_after([](SSL*) {}), Stream::Idle::quiet);
  EXPECT_EQ(idle_after([](SSL*) {}, TLS1_2_VERSION), Stream::Idle::quiet);
}

TEST_F(TlsIdle, data_close_notify_a_cut_and_a_part_of_a_record_are_not_quiet) {
  EXPECT_EQ(idle_after([](SSL* ssl) { SSL_write(ssl, "x", 1); }), Stream::Idle::has_bytes);
  EXPECT_EQ(idle_after([](SSL* ssl) { SSL_shutdown(ssl); }), Stream::Idle::closed);
  EXPECT_EQ(idle_after([](SSL* ssl) { shutdown(SSL_get_fd(ssl), SHUT_RDWR); }), Stream::Idle::closed);
  for (const std::string_view part : {"\x17\x03", "\x17\x03\x03\x01\x40", "\x17\x03\x03\x01\x40 and more"}) {
    EXPECT_EQ(idle_after([&](SSL* ssl) { EXPECT_GT(::write(SSL_get_fd(ssl), part.data(), part.size()), 0); }),
              Stream::Idle::has_bytes)
        << part.size();
  }
  EXPECT_EQ(idle_after([](SSL* ssl) { EXPECT_EQ(::write(SSL_get_fd(ssl), "garbage..", 9), 9); }), Stream::Idle::closed);
}

TEST_F(TlsIdle, bytes_seen_by_idle_are_still_there_to_read) {
  std::latch sent(1);
  const TlsPeer peer(identity_, {}, [&](SSL* ssl) {
    SSL_write(ssl, "kept", 4);
    sent.count_down();
    echo(ssl);
  });
  const Connected connected = connect(peer, "good.example");
  sent.wait();
  EXPECT_EQ((*connected)->idle(), Stream::Idle::has_bytes);
  EXPECT_EQ(read(**connected).value(), "kept");
  EXPECT_EQ((*connected)->idle(), Stream::Idle::quiet);
}

TEST_F(Tls, a_second_connection_resumes_the_session_of_the_first_only_for_the_same_name) {
  const Identity identity = issue("DNS:good.example,DNS:other.example");
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    std::vector<bool> resumed;
    {
      const TlsPeer peer(identity, {.version = version, .connections = 4}, [&](SSL* ssl) {
        resumed.push_back(SSL_session_reused(ssl) == 1);
        echo(ssl);
      });
      for (const char* name : {"good.example", "good.example", "good.example", "other.example"}) {
        const Connected connected = connect(peer, name);
        ASSERT_TRUE(connected) << connected.error().note;
        ASSERT_TRUE(write(**connected, "x"));
        ASSERT_TRUE(read(**connected));
      }
    }
    EXPECT_EQ(resumed, (std::vector<bool>{false, true, true, false})) << version;
  }
}

TEST_F(Tls, renegotiation_is_refused_with_the_next_words_and_the_connection_goes_on) {
  int reason = 0;
  {
    const TlsPeer peer(issue("DNS:good.example"), {.version = TLS1_2_VERSION}, [&](SSL* ssl) {
      SSL_renegotiate(ssl);
      SSL_do_handshake(ssl);
      SSL_write(ssl, "x", 1);
      char byte = 0;
      SSL_read(ssl, &byte, 1);
      reason = ERR_GET_REASON(ERR_peek_error());
    });
    const Connected connected = connect(peer, "good.example");
    ASSERT_TRUE(connected);
    EXPECT_EQ(read(**connected).value(), "x");
    ASSERT_TRUE(write(**connected, "y"));
  }
  EXPECT_EQ(reason, SSL_R_NO_RENEGOTIATION);
}

TEST_F(Tls, an_unreadable_or_empty_authority_file_is_refused_when_starting) {
  EXPECT_EQ(make_net(t_.loop, {.ca_file = folder_.file("absent.pem")}).error().fault, Fault::invalid);
  ASSERT_TRUE(write_file_atomically(folder_.file("empty.pem"), "no certificate\n", 0600));
  EXPECT_EQ(make_net(t_.loop, {.ca_file = folder_.file("empty.pem")}).error().fault, Fault::invalid);
}

TEST(TlsSessions, the_one_unused_longest_makes_room_and_an_old_one_is_not_offered) {
  TlsSessions sessions;
  const auto session = [] { return TlsSession(SSL_SESSION_new()); };
  for (std::size_t i = 0; i < TlsSessions::kSessionsMax + 1; ++i) {
    sessions.put("host" + std::to_string(i), session(), MonotonicTime{0});
  }
  EXPECT_EQ(sessions.size(), 1024u);
  EXPECT_EQ(sessions.take("host0", MonotonicTime{0}), nullptr);
  EXPECT_NE(sessions.take("host1", MonotonicTime{0}), nullptr);
  EXPECT_EQ(sessions.take("host1", MonotonicTime{0}), nullptr);
  EXPECT_NE(sessions.take("host2", MonotonicTime{3'600'000'000'000}), nullptr);
  EXPECT_EQ(sessions.take("host3", MonotonicTime{3'600'000'000'001}), nullptr);
  sessions.put("host4", session(), MonotonicTime{0});
  EXPECT_EQ(sessions.size(), 1021u);
}

}  // namespace
}  // namespace semel
