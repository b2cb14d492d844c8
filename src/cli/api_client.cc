// api_client.cc: one loop of its own, run for each request until its answer is there.
#include "cli/api_client.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "base/bytes.h"
#include "edge/net/net.h"
#include "edge/os/entropy.h"
#include "edge/os/loop.h"
#include "edge/os/signals.h"
#include "port/scope.h"
#include "semel_version.h"

namespace semel::cli {

namespace {

constexpr const char* kDefaultUrl = "http://127.0.0.1:7350";

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

}  // namespace

ServerAddress server_from_environment() {
  std::string url = environment("SEMEL_URL", kDefaultUrl);
  while (url.ends_with('/')) url.pop_back();
  return {.url = std::move(url), .key = environment("SEMEL_KEY", ""), .tenant = environment("SEMEL_TENANT", "")};
}

struct ApiClient::State {
  explicit State(ServerAddress address) : server(std::move(address)) {}

  // Made with the first request; a failure is that request's answer.
  Result<http::SimpleClient*> connect() {
    if (client) return &*client;
    SEMEL_TRY(made_net, make_net(loop, {}));
    SEMEL_TRY(made_resolver, make_resolver(loop, {}));
    net = std::move(made_net);
    resolver = std::move(made_resolver);
    client.emplace(*net, *resolver, loop);
    return &*client;
  }

  http::SimpleRequest complete(ApiRequest request) const {
    http::SimpleRequest full{.method = std::move(request.method),
                             .url = server.url + request.target,
                             .headers = std::move(request.headers),
                             .body = std::move(request.body)};
    full.headers.emplace_back("user-agent", "semel/" SEMEL_VERSION);
    if (!server.key.empty()) full.headers.emplace_back("authorization", "Bearer " + server.key);
    if (!server.tenant.empty()) full.headers.emplace_back("semel-tenant", server.tenant);
    if (!full.body.empty()) full.headers.emplace_back("content-type", "application/json");
    return full;
  }

  ServerAddress server;
  OsEntropy entropy;
  Loop loop;
  std::unique_ptr<Net> net;
  std::unique_ptr<Resolver> resolver;
  std::optional<http::SimpleClient> client;
};

ApiClient::ApiClient(ServerAddress server) {
  ignore_write_signals();
  state_ = std::make_unique<State>(std::move(server));
}
ApiClient::~ApiClient() = default;

Clock& ApiClient::clock() { return state_->loop; }
Random& ApiClient::random() { return state_->entropy; }

Result<http::SimpleAnswer> ApiClient::call(ApiRequest request) {
  if (!is_valid_utf8(request.body)) return fail(Fault::invalid, "the arguments are not UTF-8");
  SEMEL_TRY(client, state_->connect());
  std::optional<Result<http::SimpleAnswer>> answer;
  Scope scope;
  const auto ask = [](State& state, http::SimpleClient& simple, http::SimpleRequest full,
                      std::optional<Result<http::SimpleAnswer>>& into) -> Co<void> {
    into = co_await simple.request(std::move(full));
    state.loop.stop();
  };
  scope.spawn(ask(*state_, *client, state_->complete(std::move(request)), answer));
  state_->loop.run();
  if (!*answer && answer->error().fault == Fault::unavailable)
    return fail(Fault::unavailable, fmt::format("{} (is `semel serve` running at {}? SEMEL_URL says where)",
                                                answer->error().note, state_->server.url));
  return *std::move(answer);
}

void ApiClient::pause(milliseconds duration) {
  state_->loop.start_timer(state_->loop.now() + duration, [this] { state_->loop.stop(); });
  state_->loop.run();
}

std::string query_string(const std::vector<std::pair<std::string_view, std::string>>& parameters) {
  std::string query;
  for (const auto& [name, value] : parameters) {
    if (value.empty()) continue;
    query.append(query.empty() ? "" : "&").append(name).append("=").append(percent_encode(value));
  }
  return query;
}

}  // namespace semel::cli
