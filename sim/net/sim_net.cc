// sim_net.cc: hosts, names, listening and connecting.
#include "sim/net/sim_net.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/check.h"
#include "sim/net/connection.h"

namespace semel::sim {
namespace {

constexpr std::uint16_t kFirstFreePort = 49'152;

using Connected = std::expected<std::unique_ptr<Stream>, ConnectFailure>;
using Answers = Result<std::vector<IpAddress>>;

Connected connect_cancelled() {
  return std::unexpected(ConnectFailure{
      .stage = ConnectFailure::Stage::connect, .timed_out = true, .note = "no connection before the deadline"});
}
Connected tls_cancelled() {
  return std::unexpected(
      ConnectFailure{.stage = ConnectFailure::Stage::tls, .timed_out = true, .note = "no TLS before the deadline"});
}
Answers resolve_cancelled() { return fail(Fault::timed_out, "no answer before the deadline"); }

struct Listening {
  std::shared_ptr<Node> node;
  std::move_only_function<void(std::unique_ptr<Stream>)> accepted;
  bool open = true;
};

struct Host {
  std::shared_ptr<Node> node;  // the incarnation that came last
  std::map<std::uint16_t, std::shared_ptr<Listening>> listeners;
  std::uint16_t last_port = kFirstFreePort;
};

enum class ConnectFault : std::uint8_t { refused, no_answer, tls_fails, certificate_fails, tls_stalls };

struct Connecting {
  std::shared_ptr<Node> node;
  ConnectRequest request;
  IpAddress host;  // which is at the request's address
  std::optional<ConnectFault> fault;
  std::shared_ptr<Waiting<Connected>> waiting;
};

IpAddress nobody(Draw& draw) {
  return {.family = IpAddress::Family::v4, .bytes = {203, 0, 114, static_cast<std::uint8_t>(draw.between(1, 254))}};
}

// Loopback, private, link-local with its metadata service, shared, unspecified, and one in another's clothes.
IpAddress denied(Draw& draw) {
  constexpr std::array<std::string_view, 10> kTexts{"127.0.0.1",  "10.0.0.5",       "192.168.1.1", "169.254.169.254",
                                                    "100.64.0.1", "0.0.0.0",        "::1",         "fd00:ec2::254",
                                                    "fe80::1",    "::ffff:10.0.0.1"};
  return *egress::parse_ip(draw.pick(std::span<const std::string_view>(kTexts)));
}

template <class T>
void put_anywhere(std::vector<T>& into, T what, Draw& draw) {
  into.insert(into.begin() + static_cast<std::ptrdiff_t>(draw.below(into.size() + 1)), std::move(what));
}

struct DnsAnswer {
  std::optional<Answers> answers;  // none comes at all
  Nanoseconds delay{0};
};

DnsAnswer broken_answer(std::vector<IpAddress> good, Draw& draw) {
  constexpr milliseconds kGivesUp{5'000};
  switch (draw.below(9)) {
    case 0:
      return {};
    case 1:
      return {.answers = fail(Fault::unavailable, "no server answered"), .delay = kGivesUp};
    case 2:
      return {.answers = fail(Fault::unavailable, "the server failed")};
    case 3:
      return {.answers = fail(Fault::not_found, "no such name")};
    case 4: {
      std::vector<IpAddress> permuted;
      for (const IpAddress& address : good) put_anywhere(permuted, address, draw);
      return {.answers = std::move(permuted)};
    }
    case 5:
      while (good.size() <= Resolver::kAnswersMax) put_anywhere(good, nobody(draw), draw);
      return {.answers = std::move(good)};
    case 6:
      return {.answers = std::vector{denied(draw)}};
    case 7:
      put_anywhere(good, denied(draw), draw);
      return {.answers = std::move(good)};
    case 8:  // another address than last time
      if (draw.below(2) == 0) good.clear();
      put_anywhere(good, nobody(draw), draw);
      return {.answers = std::move(good)};
  }
  std::unreachable();
}

}  // namespace

struct SimNet::State {
  State(Schedule& schedule, Draw draw, Faults& faults, Trace& trace, NetObserver& observer)
      : fabric{.schedule = schedule, .draw = draw, .faults = faults, .trace = trace, .observer = observer},
        resolving(schedule, draw.fork("resolving")),
        severing(draw.fork("severing")) {}

  Fabric fabric;
  Link resolving;
  Draw severing;
  std::map<IpAddress, Host> hosts;
  std::map<std::string, std::vector<IpAddress>> names;

  SocketAddress free_port(const IpAddress& at) {
    Host& host = hosts[at];
    do {
      host.last_port = host.last_port == 65'535 ? kFirstFreePort : static_cast<std::uint16_t>(host.last_port + 1);
    } while (host.listeners.contains(host.last_port));
    return {.ip = at, .port = host.last_port};
  }
  std::shared_ptr<Listening> listening_at(const IpAddress& at, std::uint16_t port) {
    const auto host = hosts.find(at);
    if (host == hosts.end()) return nullptr;
    const auto found = host->second.listeners.find(port);
    return found == host->second.listeners.end() ? nullptr : found->second;
  }

  void connect(const std::shared_ptr<Node>& node, ConnectRequest request, Cancel& cancel, Done<Connected> done);
  std::optional<ConnectFault> connect_fault(const ConnectRequest& request);
  void reach(const std::shared_ptr<Connecting>& connecting);
  void fail_later(const std::shared_ptr<Connecting>& connecting, ConnectFailure::Stage stage, std::string note);
  void replay(const Connection& over, std::string request, Draw details);
  void resolve(const std::shared_ptr<Node>& node, const std::string& name, Cancel& cancel, Done<Answers> done);
};

namespace {

void hand_to(const std::shared_ptr<Listening>& listening, const std::shared_ptr<Connection>& connection) {
  listening->node->post([listening, connection, stream = connection->open(Side::receiver)]() mutable {
    if (!listening->open) return;
    connection->accepted();
    listening->accepted(std::move(stream));
  });
}

class SimListener final : public Listener {
 public:
  SimListener(std::map<IpAddress, Host>& hosts, std::shared_ptr<Listening> listening, SocketAddress at)
      : hosts_(hosts), listening_(std::move(listening)), at_(at) {}
  ~SimListener() override {
    listening_->open = false;
    auto& listeners = hosts_.at(at_.ip).listeners;
    const auto found = listeners.find(at_.port);
    if (found != listeners.end() && found->second == listening_) listeners.erase(found);
  }
  SocketAddress local() const override { return at_; }

 private:
  std::map<IpAddress, Host>& hosts_;
  std::shared_ptr<Listening> listening_;
  SocketAddress at_;
};

}  // namespace

// What the network of a process is made of. The process is told nothing any more once this is gone.
class SimNet::NodeNet final : public Net {
 public:
  NodeNet(State& state, std::shared_ptr<Node> node) : state_(state), node_(std::move(node)) {}
  ~NodeNet() override { node_->process = nullptr; }

  void start_connect(ConnectRequest request, Cancel& cancel, Done<Connected> done) override {
    state_.connect(node_, std::move(request), cancel, std::move(done));
  }
  Result<std::unique_ptr<Listener>> listen(SocketAddress at,
                                           std::move_only_function<void(std::unique_ptr<Stream>)> accepted) override {
    const SocketAddress here = at.port == 0 ? state_.free_port(node_->ip) : SocketAddress{node_->ip, at.port};
    auto& listeners = state_.hosts.at(node_->ip).listeners;
    if (listeners.contains(here.port)) return fail(Fault::busy, "the port is in use");
    auto listening = std::make_shared<Listening>(Listening{.node = node_, .accepted = std::move(accepted)});
    listeners.emplace(here.port, listening);
    return std::make_unique<SimListener>(state_.hosts, std::move(listening), here);
  }

 private:
  State& state_;
  std::shared_ptr<Node> node_;
};

class SimNet::NodeResolver final : public Resolver {
 public:
  NodeResolver(State& state, std::shared_ptr<Node> node) : state_(state), node_(std::move(node)) {}
  ~NodeResolver() override { node_->process = nullptr; }

  void start_resolve(std::string name, Cancel& cancel, Done<Answers> done) override {
    state_.resolve(node_, name, cancel, std::move(done));
  }

 private:
  State& state_;
  std::shared_ptr<Node> node_;
};

void SimNet::State::connect(const std::shared_ptr<Node>& node, ConnectRequest request, Cancel& cancel,
                            Done<Connected> done) {
  fabric.trace.note("net", [&] {
    return fmt::format("{} connects to {}", node->name, egress::format_socket_address(request.address));
  });
  fabric.observer.connect_asked(node->name, request.address);
  const IpAddress host = egress::is_loopback(request.address.ip) ? node->ip : request.address.ip;
  const std::optional<ConnectFault> fault = connect_fault(request);
  const bool tls = request.tls.has_value();
  auto waiting =
      std::make_shared<Waiting<Connected>>(fault == ConnectFault::tls_stalls ? tls_cancelled : connect_cancelled);
  Waiting<Connected>::begin(waiting, node, cancel, std::move(done));
  if (!waiting->waits() || !hosts.contains(host)) return;
  Link& there = fabric.link(node->ip, host);
  Link& back = fabric.link(host, node->ip);
  Nanoseconds handshake{0};
  if (tls) handshake = 2 * (there.latency() + back.latency());
  auto connecting = std::make_shared<Connecting>(
      Connecting{.node = node, .request = std::move(request), .host = host, .fault = fault, .waiting = waiting});
  there.travel(handshake, [this, connecting] { reach(connecting); });
}

std::optional<ConnectFault> SimNet::State::connect_fault(const ConnectRequest& request) {
  if (fabric.faults.has(FaultClass::refused))
    if (auto details = fabric.faults.strike(FaultClass::refused))
      return details->below(2) == 0 ? ConnectFault::refused : ConnectFault::no_answer;
  if (request.tls && fabric.faults.has(FaultClass::tls))
    if (auto details = fabric.faults.strike(FaultClass::tls)) {
      constexpr std::array kHow{ConnectFault::tls_fails, ConnectFault::certificate_fails, ConnectFault::tls_stalls};
      return details->pick(std::span<const ConnectFault>(kHow));
    }
  return std::nullopt;
}

// The request to connect has come to its host.
void SimNet::State::reach(const std::shared_ptr<Connecting>& connecting) {
  using Stage = ConnectFailure::Stage;
  const SocketAddress& address = connecting->request.address;
  const auto listening = listening_at(connecting->host, address.port);
  if (!listening) return fail_later(connecting, Stage::connect, "refused");
  if (connecting->fault) switch (*connecting->fault) {
      case ConnectFault::refused:
        return fail_later(connecting, Stage::connect, "refused");
      case ConnectFault::tls_fails:
        return fail_later(connecting, Stage::tls, "the handshake failed");
      case ConnectFault::certificate_fails:
        return fail_later(connecting, Stage::certificate, "the certificate has expired");
      case ConnectFault::no_answer:
      case ConnectFault::tls_stalls:
        return;
    }
  const auto connection = Connection::make(fabric, {.asker = connecting->node,
                                                    .receiver = listening->node,
                                                    .asker_at = free_port(connecting->node->ip),
                                                    .receiver_at = address});
  connection->note("accepted");
  hand_to(listening, connection);
  Link& back = fabric.link(connecting->host, connecting->node->ip);
  back.travel(Nanoseconds(0), [connecting, connection] {
    if (!connecting->waiting->waits()) return connection->sever(Side::asker, Break::reset);
    Waiting<Connected>::complete(connecting->waiting,
                                 [stream = connection->open(Side::asker)]() mutable { return std::move(stream); });
  });
}

void SimNet::State::fail_later(const std::shared_ptr<Connecting>& connecting, ConnectFailure::Stage stage,
                               std::string note) {
  Link& back = fabric.link(connecting->host, connecting->node->ip);
  ConnectFailure failure{.stage = stage, .timed_out = false, .note = std::move(note)};
  back.travel(Nanoseconds(0), [connecting, failure = std::move(failure)] {
    Waiting<Connected>::complete(connecting->waiting, [failure] { return std::unexpected(failure); });
  });
}

void SimNet::State::replay(const Connection& over, std::string request, Draw details) {
  const milliseconds delay(details.skewed(1, 20));
  over.note(fmt::format("the request will come again in {} ms", delay.count()));
  const Connection::Hosts& hosts_of = over.hosts();
  const IpAddress from = hosts_of.asker_at.ip;
  const IpAddress host = hosts_of.receiver->ip;
  const SocketAddress at = hosts_of.receiver_at;
  fabric.link(from, host).travel(delay, [this, from, host, at, request = std::move(request)] {
    const auto listening = listening_at(host, at.port);
    if (!listening || fabric.faults.healed()) return;
    const auto connection = Connection::make(
        fabric, {.asker = nullptr, .receiver = listening->node, .asker_at = free_port(from), .receiver_at = at});
    connection->note("a request comes again");
    hand_to(listening, connection);
    connection->replay(request);
  });
}

void SimNet::State::resolve(const std::shared_ptr<Node>& node, const std::string& name, Cancel& cancel,
                            Done<Answers> done) {
  auto waiting = std::make_shared<Waiting<Answers>>(resolve_cancelled);
  Waiting<Answers>::begin(waiting, node, cancel, std::move(done));
  const auto known = names.find(name);
  DnsAnswer answer{.answers = fail(Fault::not_found, "no such name")};
  if (known != names.end()) answer.answers = known->second;
  if (known != names.end() && fabric.faults.has(FaultClass::dns))
    if (auto details = fabric.faults.strike(FaultClass::dns)) answer = broken_answer(known->second, *details);
  if (!answer.answers) return;
  resolving.travel(answer.delay, [waiting, answers = *std::move(answer.answers)] {
    Waiting<Answers>::complete(waiting, [answers] { return answers; });
  });
}

SimNet::SimNet(Schedule& schedule, Draw draw, Faults& faults, Trace& trace, NetObserver& observer)
    : state_(std::make_unique<State>(schedule, draw, faults, trace, observer)) {
  state_->fabric.replay = [state = state_.get()](const Connection& over, std::string request, Draw details) {
    state->replay(over, std::move(request), details);
  };
}

SimNet::~SimNet() {
  for (auto& [ends, link] : state_->fabric.links) state_->fabric.schedule.drop(link.source());
  state_->fabric.schedule.drop(state_->resolving.source());
}

std::unique_ptr<Net> SimNet::net_of(Process& process, IpAddress own) {
  auto node = std::make_shared<Node>(Node{.name = process.name(), .ip = own, .process = &process});
  state_->hosts[own].node = node;
  return std::make_unique<NodeNet>(*state_, std::move(node));
}

std::unique_ptr<Resolver> SimNet::resolver_of(Process& process) {
  return std::make_unique<NodeResolver>(
      *state_, std::make_shared<Node>(Node{.name = process.name(), .ip = {}, .process = &process}));
}

void SimNet::name_host(const std::string& name, std::vector<IpAddress> addresses) {
  state_->names[name] = std::move(addresses);
}

void SimNet::sever(IpAddress at) {
  const auto host = state_->hosts.find(at);
  if (host == state_->hosts.end()) return;
  for (auto& [port, listening] : host->second.listeners) listening->open = false;
  host->second.listeners.clear();
  if (host->second.node) host->second.node->process = nullptr;
  for (const auto& [id, connection] : std::map(state_->fabric.connections)) {
    const Connection::Hosts& hosts = connection->hosts();
    const auto how = static_cast<Break>(state_->severing.below(3));
    if (hosts.asker && hosts.asker->ip == at) connection->sever(Side::asker, how);
    if (hosts.receiver->ip == at) connection->sever(Side::receiver, how);
  }
}

void SimNet::heal() {
  for (auto& [ends, link] : state_->fabric.links) link.heal();
  state_->resolving.heal();
  for (const auto& [id, connection] : std::map(state_->fabric.connections)) connection->heal();
}

std::size_t SimNet::connections() const { return state_->fabric.connections.size(); }

}  // namespace semel::sim
