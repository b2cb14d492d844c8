// resolver_test.cc: names asked of a small name server on loopback that gives the answers a test wants.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "edge/net/net.h"
#include "edge/net/sockaddr.h"
#include "edge/net/test_await.h"
#include "edge/os/descriptor.h"
#include "edge/os/watch.h"

namespace semel {
namespace {

using Resolved = Result<std::vector<IpAddress>>;
using std::chrono::milliseconds;
using testing::ElementsAre;

// RFC 1035 section 4: names, numbers and records of an answer.
std::string wire_name(std::string_view name) {
  std::string wire;
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    wire += static_cast<char>(label.size());
    wire += label;
    name.remove_prefix(std::min(name.size(), label.size() + 1));
  }
  return wire + '\0';
}
std::string wire16(std::size_t number) {
  return {static_cast<char>(number >> 8 & 0xff), static_cast<char>(number & 0xff)};
}
std::string record(std::string_view owner, std::size_t type, std::string_view data) {
  return wire_name(owner) + wire16(type) + wire16(1) + wire16(0) + wire16(60) + wire16(data.size()) + std::string(data);
}
std::string a(std::string_view owner, std::string_view address) {
  char bytes[4];
  EXPECT_EQ(inet_pton(AF_INET, std::string(address).c_str(), bytes), 1);
  return record(owner, 1, {bytes, sizeof bytes});
}
std::string aaaa(std::string_view owner, std::string_view address) {
  char bytes[16];
  EXPECT_EQ(inet_pton(AF_INET6, std::string(address).c_str(), bytes), 1);
  return record(owner, 28, {bytes, sizeof bytes});
}
std::string cname(std::string_view owner, std::string_view target) { return record(owner, 5, wire_name(target)); }

// The owner as a pointer to the question's name (section 4.1.4).
std::string short_a(std::string_view address) { return "\xc0\x0c" + a("", address).substr(1); }

enum Code { no_error = 0, servfail = 2, nxdomain = 3, refused = 5 };
struct Reply {
  Code code = no_error;
  std::vector<std::string> records;
  bool only_over_tcp = false;  // a datagram gets a truncated answer (section 4.2.1)
};

// Answers what it was told about, over UDP and TCP; is silent about everything else.
class NameServer {
 public:
  explicit NameServer(Loop& loop)
      : net_(make_net(loop, {}).value()), descriptor_(bind_both()), watch_(loop, descriptor_.get()) {
    wait();
  }

  SocketAddress address() const { return listener_->local(); }
  void answer(std::string_view name, std::size_t type, Reply reply) {
    replies_[wire_name(name) + wire16(type)] = std::move(reply);
  }
  int questions() const { return questions_; }

 private:
  // A port that is free for TCP may be taken for UDP; then another one is tried.
  Descriptor bind_both() {
    for (int tries = 0; tries < 100; ++tries) {
      listener_ = net_->listen(egress::parse_socket_address("127.0.0.1:0").value(),
                               [this](std::unique_ptr<Stream> stream) { serve(std::move(stream)); })
                      .value();
      Descriptor datagrams(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      const SystemAddress at = to_system(address());
      if (bind(datagrams.get(), at.data(), at.size) == 0) return datagrams;
    }
    ADD_FAILURE() << "no port is free for both UDP and TCP";
    return Descriptor(-1);
  }

  void wait() {
    watch_.wait(Watch::For::reading, [this] {
      char bytes[512];
      SystemAddress from;
      for (;;) {
        const ssize_t size = recvfrom(descriptor_.get(), bytes, sizeof bytes, 0, from.data(), &from.size);
        if (size < 0) break;
        const std::string reply = reply_to({bytes, static_cast<std::size_t>(size)}, Over::udp);
        if (!reply.empty()) sendto(descriptor_.get(), reply.data(), reply.size(), 0, from.data(), from.size);
      }
      wait();
    });
  }

  // One question a connection; each message has its length before it (section 4.2.2).
  void serve(std::unique_ptr<Stream> stream) {
    connection_ = std::move(stream);
    connection_->start_read(tcp_in_, never_, [this](Result<std::size_t> size) {
      if (!size || *size < 14) return;
      const std::string reply = reply_to(std::string_view(tcp_in_, *size).substr(2), Over::tcp);
      tcp_out_ = wire16(reply.size()) + reply;
      connection_->start_write(tcp_out_, never_, [](Result<Nothing>) {});
    });
  }

  enum class Over { udp, tcp };
  std::string reply_to(std::string_view query, Over over) {
    ++questions_;
    const std::string_view question = query.substr(12, query.find('\0', 12) + 5 - 12);
    const auto known = replies_.find(std::string(question.substr(0, question.size() - 2)));
    if (known == replies_.end()) return {};
    const Reply& reply = known->second;
    const bool cut = reply.only_over_tcp && over == Over::udp;
    std::string bytes = std::string(query.substr(0, 2)) + (cut ? "\x83" : "\x81") +
                        static_cast<char>(0x80 | reply.code) + wire16(1) + wire16(cut ? 0 : reply.records.size()) +
                        wire16(0) + wire16(0) + std::string(question);
    if (cut) return bytes;
    for (const std::string& part : reply.records) bytes += part;
    return bytes;
  }

  std::unique_ptr<Net> net_;
  std::unique_ptr<Listener> listener_;
  Descriptor descriptor_;
  Watch watch_;
  std::unique_ptr<Stream> connection_;
  Cancel never_;
  char tcp_in_[512];
  std::string tcp_out_;
  std::map<std::string, Reply> replies_;
  int questions_ = 0;
};

class DnsResolver : public testing::Test {
 protected:
  Resolved resolve(const std::string& name) {
    Cancel cancel;
    Pending<Resolved> pending(t_);
    resolver_->start_resolve(name, cancel, pending.done());
    return pending.wait();
  }
  std::vector<std::string> texts(const Resolved& resolved) {
    std::vector<std::string> all;
    EXPECT_TRUE(resolved) << resolved.error().note;
    if (resolved) {
      for (const IpAddress& address : *resolved) all.push_back(egress::format_ip(address));
    }
    return all;
  }

  TestLoop t_;
  NameServer server_{t_.loop};
  std::unique_ptr<Resolver> resolver_ =
      make_resolver(t_.loop, {.servers = {server_.address()}, .ask_again_after = milliseconds(100)}).value();
};

constexpr std::size_t kA = 1, kAaaa = 28;

TEST_F(DnsResolver, all_addresses_of_both_families_are_the_answer) {
  server_.answer("shop.example", kA, {.records = {a("shop.example", "192.0.2.1"), a("shop.example", "192.0.2.2")}});
  server_.answer("shop.example", kAaaa, {.records = {aaaa("shop.example", "2001:db8::7")}});
  EXPECT_THAT(texts(resolve("shop.example")), ElementsAre("192.0.2.1", "192.0.2.2", "2001:db8::7"));
  EXPECT_EQ(server_.questions(), 2);
}

TEST_F(DnsResolver, one_family_is_enough_whatever_became_of_the_other) {
  for (const Code other : {no_error, nxdomain, servfail}) {
    server_.answer("four.example", kA, {.records = {a("four.example", "192.0.2.4")}});
    server_.answer("four.example", kAaaa, {.code = other});
    EXPECT_THAT(texts(resolve("four.example")), ElementsAre("192.0.2.4")) << other;
    server_.answer("six.example", kA, {.code = other});
    server_.answer("six.example", kAaaa, {.records = {aaaa("six.example", "2001:db8::6")}});
    EXPECT_THAT(texts(resolve("six.example")), ElementsAre("2001:db8::6")) << other;
  }
}

TEST_F(DnsResolver, a_chain_of_aliases_leads_to_the_addresses_at_its_end) {
  server_.answer("www.example", kA,
                 {.records = {cname("www.example", "cdn.example"), cname("cdn.example", "edge.example"),
                              a("edge.example", "192.0.2.9")}});
  server_.answer("www.example", kAaaa, {.records = {cname("www.example", "cdn.example")}});
  EXPECT_THAT(texts(resolve("www.example")), ElementsAre("192.0.2.9"));
}

// x.example is x1.example, which is x2.example, ..; the last one has this address.
Reply aliases(int count, std::string address) {
  Reply reply;
  std::string owner = "x.example";
  for (int i = 1; i <= count; ++i) {
    const std::string target = "x" + std::to_string(i) + ".example";
    reply.records.push_back(cname(owner, target));
    owner = target;
  }
  reply.records.push_back(std::move(address));
  return reply;
}

TEST_F(DnsResolver, a_chain_of_eight_aliases_is_followed) {
  server_.answer("x.example", kA, aliases(8, a("x8.example", "192.0.2.8")));
  server_.answer("x.example", kAaaa, aliases(8, aaaa("x8.example", "2001:db8::8")));
  EXPECT_THAT(texts(resolve("x.example")), ElementsAre("192.0.2.8", "2001:db8::8"));
}

TEST_F(DnsResolver, what_is_not_an_address_has_its_fault) {
  struct Case {
    const char* what;
    Reply v4, v6;
    Fault fault;
  };
  const std::vector<Case> cases = {
      {"no such name", {.code = nxdomain}, {.code = nxdomain}, Fault::not_found},
      {"a name without addresses", {}, {}, Fault::not_found},
      {"an alias that leads nowhere", {.records = {cname("x.example", "y.example")}}, {}, Fault::not_found},
      {"aliases in a circle",
       {.records = {cname("x.example", "y.example"), cname("y.example", "x.example")}},
       {},
       Fault::not_found},
      {"nine aliases before an address", aliases(9, a("x9.example", "192.0.2.1")), {}, Fault::unavailable},
      {"nine aliases before an address of the other family",
       {},
       aliases(9, aaaa("x9.example", "2001:db8::1")),
       Fault::unavailable},
      {"a server in trouble", {.code = servfail}, {.code = servfail}, Fault::unavailable},
      {"a server that refuses", {.code = refused}, {.code = refused}, Fault::unavailable},
      {"half an answer that says no, half in trouble", {.code = servfail}, {}, Fault::unavailable},
      {"a broken record", {.records = {record("x.example", 1, "abc").substr(0, 20)}}, {}, Fault::unavailable},
  };
  for (const Case& c : cases) {
    server_.answer("x.example", kA, c.v4);
    server_.answer("x.example", kAaaa, c.v6);
    const Resolved resolved = resolve("x.example");
    ASSERT_FALSE(resolved) << c.what;
    EXPECT_EQ(resolved.error().fault, c.fault) << c.what << ": " << resolved.error().note;
  }
}

TEST_F(DnsResolver, more_addresses_than_allowed_can_be_seen_but_are_cut) {
  Reply many;
  for (int i = 1; i <= 25; ++i) many.records.push_back(short_a("192.0.2." + std::to_string(i)));
  server_.answer("many.example", kA, many);
  server_.answer("many.example", kAaaa, {.records = {aaaa("many.example", "2001:db8::1")}});
  EXPECT_EQ(resolve("many.example").value().size(), 17u);
}

TEST_F(DnsResolver, an_answer_too_large_for_a_datagram_is_fetched_over_tcp) {
  server_.answer("large.example", kA, {.records = {a("large.example", "192.0.2.5")}, .only_over_tcp = true});
  server_.answer("large.example", kAaaa, {});
  EXPECT_THAT(texts(resolve("large.example")), ElementsAre("192.0.2.5"));
  EXPECT_EQ(server_.questions(), 3);
}

TEST_F(DnsResolver, silence_lasts_until_the_deadline_and_later_names_are_answered) {
  server_.answer("shop.example", kA, {.records = {a("shop.example", "192.0.2.1")}});
  server_.answer("shop.example", kAaaa, {});
  Cancel cancel;
  Pending<Resolved> pending(t_);
  resolver_->start_resolve("silent.example", cancel, pending.done());
  let_pass(t_, milliseconds(5));
  ASSERT_FALSE(pending.completed());
  ASSERT_EQ(server_.questions(), 2);
  cancel.request();
  EXPECT_EQ(pending.wait().error().fault, Fault::timed_out);
  EXPECT_THAT(texts(resolve("shop.example")), ElementsAre("192.0.2.1"));
}

TEST_F(DnsResolver, an_unanswered_question_is_asked_again) {
  Cancel cancel;
  Pending<Resolved> pending(t_);
  resolver_->start_resolve("late.example", cancel, pending.done());
  let_pass(t_, milliseconds(5));
  ASSERT_EQ(server_.questions(), 2);
  server_.answer("late.example", kA, {.records = {a("late.example", "192.0.2.3")}});
  server_.answer("late.example", kAaaa, {});
  EXPECT_THAT(texts(pending.wait()), ElementsAre("192.0.2.3"));
}

TEST_F(DnsResolver, a_name_server_that_is_not_there_is_unavailable) {
  const Descriptor reserved(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  SystemAddress at = to_system(egress::parse_socket_address("127.0.0.1:0").value());
  ASSERT_EQ(bind(reserved.get(), at.data(), at.size), 0);
  ASSERT_EQ(getsockname(reserved.get(), at.data(), &at.size), 0);
  // A datagram socket that is connected elsewhere answers strangers with "port unreachable".
  const SystemAddress elsewhere = to_system(egress::parse_socket_address("127.0.0.1:9").value());
  ASSERT_EQ(connect(reserved.get(), elsewhere.data(), elsewhere.size), 0);
  resolver_ = make_resolver(t_.loop, {.servers = {from_system(at.data()).value()}, .ask_again_after = milliseconds(20)})
                  .value();
  EXPECT_EQ(resolve("shop.example").error().fault, Fault::unavailable);
}

TEST_F(DnsResolver, a_name_that_cannot_be_asked_for_is_unavailable_and_not_asked_for) {
  EXPECT_EQ(resolve(std::string(64, 'a') + ".example").error().fault, Fault::unavailable);
  EXPECT_EQ(server_.questions(), 0);
}

TEST_F(DnsResolver, localhost_is_loopback_and_is_asked_of_nobody) {
  for (const char* name : {"localhost", "api.localhost"}) {
    const Resolved resolved = resolve(name);
    ASSERT_TRUE(resolved);
    EXPECT_EQ(egress::format_ip(resolved->front()), "127.0.0.1");
    for (const IpAddress& address : *resolved) EXPECT_TRUE(egress::is_loopback(address));
  }
  EXPECT_EQ(server_.questions(), 0);
}

TEST_F(DnsResolver, many_names_at_once_each_get_their_own_answer) {
  constexpr int kNames = 100;
  std::map<int, Resolved> answers;
  std::vector<std::unique_ptr<Cancel>> cancels;
  for (int i = 0; i < kNames; ++i) {
    const std::string name = "n" + std::to_string(i) + ".example";
    server_.answer(name, kA, {.records = {a(name, "192.0.2." + std::to_string(i))}});
    server_.answer(name, kAaaa, {});
    cancels.push_back(std::make_unique<Cancel>());
    resolver_->start_resolve(name, *cancels.back(), [&, i](Resolved resolved) {
      answers.emplace(i, std::move(resolved));
      if (answers.size() == kNames) t_.loop.stop();
    });
  }
  ASSERT_TRUE(t_.run());
  for (int i = 0; i < kNames; ++i) EXPECT_THAT(texts(answers.at(i)), ElementsAre("192.0.2." + std::to_string(i)));
}

TEST_F(DnsResolver, a_bound_holds_for_names_that_wait) {
  Cancel cancel;
  std::vector<std::unique_ptr<Cancel>> cancels;
  for (int i = 0; i < 1024; ++i) {
    cancels.push_back(std::make_unique<Cancel>());
    resolver_->start_resolve("silent.example", *cancels.back(), [](Resolved) {});
  }
  const Resolved over = resolve("silent.example");
  EXPECT_EQ(over.error().fault, Fault::unavailable);
  EXPECT_EQ(over.error().note, "too many names are being resolved");
}

TEST_F(DnsResolver, a_destroyed_resolver_calls_nothing) {
  Cancel cancel;
  bool called = false;
  resolver_->start_resolve("silent.example", cancel, [&](Resolved) { called = true; });
  let_pass(t_, milliseconds(2));
  resolver_.reset();
  cancel.request();
  let_pass(t_, milliseconds(2));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace semel
