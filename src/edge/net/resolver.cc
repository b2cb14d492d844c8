// resolver.cc: c-ares asks the name servers; its sockets and waits are driven by the loop.
#include <ares.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "edge/net/net.h"
#include "edge/os/watch.h"

namespace semel {

namespace {

constexpr int kRounds = 3;
constexpr std::size_t kQuestionsMax = 1024;  // names being resolved at once
constexpr std::size_t kAliasesMax = 8;       // on the way to an address
constexpr int kTypeA = 1;                    // RFC 1035 section 3.2.2
constexpr int kTypeAaaa = 28;                // RFC 3596 section 2.1
constexpr int kClassInternet = 1;

using Answer = Result<std::vector<IpAddress>>;

// One name: two questions to the name servers, one answer to the caller.
struct Lookup {
  Done<Answer> done;
  Cancel* cancel = nullptr;
  int open_questions = 2;
  int trouble = ARES_SUCCESS;  // of a question whose answer was neither addresses nor their absence
  std::vector<IpAddress> v4;
  std::vector<IpAddress> v6;

  void end(Answer answer) {
    if (!done) return;
    std::exchange(cancel, nullptr)->disarm();
    std::exchange(done, nullptr)(std::move(answer));
  }
  Answer answer() const {
    std::vector<IpAddress> all = v4;
    all.insert(all.end(), v6.begin(), v6.end());
    if (all.size() > Resolver::kAnswersMax + 1) all.resize(Resolver::kAnswersMax + 1);
    if (!all.empty()) return all;
    if (trouble == ARES_SUCCESS) return fail(Fault::not_found, "the name has no address");
    return fail(Fault::unavailable, ares_strerror(trouble));
  }
};

void append(std::vector<IpAddress>& addresses, IpAddress::Family family, const void* bytes, std::size_t size) {
  IpAddress address;
  address.family = family;
  std::memcpy(address.bytes.data(), bytes, size);
  addresses.push_back(address);
}

// Takes the host over. A chain of aliases that is longer than any honest one is not followed to its end.
int judge_aliases(hostent* host) {
  std::size_t count = 0;
  while (host->h_aliases[count] != nullptr) ++count;
  ares_free_hostent(host);
  return count > kAliasesMax ? ARES_EBADRESP : ARES_SUCCESS;
}

// Both take what one answer holds, and say how it was judged.
int read_a(const unsigned char* answer, int size, std::vector<IpAddress>& addresses) {
  std::array<ares_addrttl, Resolver::kAnswersMax + 1> found;
  int count = found.size();
  hostent* host = nullptr;
  int status = ares_parse_a_reply(answer, size, &host, found.data(), &count);
  if (status == ARES_SUCCESS) status = judge_aliases(host);
  if (status != ARES_SUCCESS) return status;
  for (int i = 0; i < count; ++i)
    append(addresses, IpAddress::Family::v4, &found.at(static_cast<std::size_t>(i)).ipaddr, 4);
  return status;
}
int read_aaaa(const unsigned char* answer, int size, std::vector<IpAddress>& addresses) {
  std::array<ares_addr6ttl, Resolver::kAnswersMax + 1> found;
  int count = found.size();
  hostent* host = nullptr;
  int status = ares_parse_aaaa_reply(answer, size, &host, found.data(), &count);
  if (status == ARES_SUCCESS) status = judge_aliases(host);
  if (status != ARES_SUCCESS) return status;
  for (int i = 0; i < count; ++i)
    append(addresses, IpAddress::Family::v6, &found.at(static_cast<std::size_t>(i)).ip6addr, 16);
  return status;
}

bool is_localhost(std::string_view name) { return name == "localhost" || name.ends_with(".localhost"); }

Answer loopback_addresses() {
  SEMEL_TRY(own, own_addresses());
  std::erase_if(own, [](const IpAddress& address) { return !egress::is_loopback(address); });
  std::ranges::sort(own);
  if (own.empty()) return fail(Fault::not_found, "this machine has no loopback address");
  return own;
}

class DnsResolver final : public Resolver {
 public:
  explicit DnsResolver(Loop& loop) : loop_(loop) {}
  DnsResolver(const DnsResolver&) = delete;
  DnsResolver& operator=(const DnsResolver&) = delete;
  ~DnsResolver() override {
    loop_.stop_timer(timer_);
    ending_ = true;
    if (channel_ != nullptr) ares_destroy(channel_);
  }

  Result<void> open(const ResolverOptions& options) {
    ares_options settings{};
    settings.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
    settings.timeout = static_cast<int>(options.ask_again_after.count());
    settings.tries = kRounds;
    settings.sock_state_cb = [](void* self, ares_socket_t fd, int readable, int writable) {
      static_cast<DnsResolver*>(self)->follow(fd, readable != 0, writable != 0);
    };
    settings.sock_state_cb_data = this;
    int status = ares_init_options(&channel_, &settings,
                                   ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
    if (status == ARES_SUCCESS && !options.servers.empty()) {
      std::string list;
      for (const SocketAddress& server : options.servers) {
        list += (list.empty() ? "" : ",") + egress::format_socket_address(server);
      }
      status = ares_set_servers_ports_csv(channel_, list.c_str());
    }
    if (status != ARES_SUCCESS) {
      return fail(Fault::unavailable, std::string("the name servers cannot be used: ") + ares_strerror(status));
    }
    return {};
  }

  void start_resolve(std::string name, Cancel& cancel, Done<Answer> done) override {
    if (cancel.requested()) return done(fail(Fault::timed_out, "the deadline has passed"));
    if (is_localhost(name)) return done(loopback_addresses());
    if (lookups_ == kQuestionsMax) return done(fail(Fault::unavailable, "too many names are being resolved"));
    ++lookups_;
    auto lookup = std::make_shared<Lookup>();
    lookup->done = std::move(done);
    lookup->cancel = &cancel;
    // c-ares goes on until it gives up by itself; its answer finds nobody then.
    cancel.arm([weak = std::weak_ptr(lookup)] {
      if (const auto waiting = weak.lock()) waiting->end(fail(Fault::timed_out, "no answer before the deadline"));
    });
    ask(name, kTypeA, lookup);
    ask(name, kTypeAaaa, lookup);
    wait_for_timeout();
  }

 private:
  struct Question {
    DnsResolver* resolver;
    int type;
    std::shared_ptr<Lookup> lookup;
  };

  void ask(const std::string& name, int type, std::shared_ptr<Lookup> lookup) {
    auto* question = new Question{this, type, std::move(lookup)};  // owned by c-ares until it calls
    ares_query(
        channel_, name.c_str(), kClassInternet, type,
        [](void* context, int status, int, unsigned char* answer, int size) {
          const std::unique_ptr<Question> answered(static_cast<Question*>(context));
          answered->resolver->take(*answered, status, answer, size);
        },
        question);
  }

  void take(const Question& question, int status, const unsigned char* answer, int size) {
    if (ending_) return;
    Lookup& lookup = *question.lookup;
    if (status == ARES_SUCCESS) {
      status = question.type == kTypeA ? read_a(answer, size, lookup.v4) : read_aaaa(answer, size, lookup.v6);
    }
    if (status != ARES_SUCCESS && status != ARES_ENODATA && status != ARES_ENOTFOUND) lookup.trouble = status;
    if (--lookup.open_questions > 0) return;
    --lookups_;
    // c-ares must not be entered again from its own callback, and the caller may start the next lookup at once.
    loop_.post([finished = question.lookup, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) finished->end(finished->answer());
    });
  }

  // What c-ares wants to know about one of its sockets. With neither, the socket is about to be closed.
  void follow(ares_socket_t fd, bool readable, bool writable) {
    if (!readable && !writable) {
      watches_.erase(fd);
      return;
    }
    Following& following = watches_.try_emplace(fd, loop_, fd).first->second;
    following.wants_reading = readable;
    following.wants_writing = writable;
    wait(fd, following);
  }

  struct Following {
    Following(Loop& loop, int fd) : watch(loop, fd) {}
    Watch watch;
    bool wants_reading = false;
    bool wants_writing = false;
    bool waits_reading = false;
    bool waits_writing = false;
  };

  void wait(ares_socket_t fd, Following& following) {
    if (following.wants_reading && !std::exchange(following.waits_reading, true)) {
      following.watch.wait(Watch::For::reading, [this, fd] {
        watches_.at(fd).waits_reading = false;
        process(fd, ARES_SOCKET_BAD);
      });
    }
    if (following.wants_writing && !std::exchange(following.waits_writing, true)) {
      following.watch.wait(Watch::For::writing, [this, fd] {
        watches_.at(fd).waits_writing = false;
        process(ARES_SOCKET_BAD, fd);
      });
    }
  }

  void process(ares_socket_t readable, ares_socket_t writable) {
    ares_process_fd(channel_, readable, writable);
    const auto still = watches_.find(readable == ARES_SOCKET_BAD ? writable : readable);
    if (still != watches_.end()) wait(still->first, still->second);
    wait_for_timeout();
  }

  void wait_for_timeout() {
    loop_.stop_timer(timer_);
    timeval buffer{};
    const timeval* next = ares_timeout(channel_, nullptr, &buffer);
    if (next == nullptr) return;
    const auto wait = std::chrono::seconds(next->tv_sec) + std::chrono::microseconds(next->tv_usec);
    // A millisecond later than asked for, so that c-ares agrees that the time has come.
    timer_ = loop_.start_timer(loop_.now() + wait + milliseconds(1), [this] {
      ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
      wait_for_timeout();
    });
  }

  Loop& loop_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, Following> watches_;
  TimerId timer_{};
  std::size_t lookups_ = 0;
  bool ending_ = false;
  std::shared_ptr<Nothing> alive_ = std::make_shared<Nothing>();
};

}  // namespace

Result<std::unique_ptr<Resolver>> make_resolver(Loop& loop, const ResolverOptions& options) {
  static const int library = ares_library_init(ARES_LIB_INIT_ALL);
  SEMEL_CHECK(library == ARES_SUCCESS);
  auto resolver = std::make_unique<DnsResolver>(loop);
  SEMEL_TRY_VOID(resolver->open(options));
  return resolver;
}

}  // namespace semel
