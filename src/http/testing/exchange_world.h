// exchange_world.h: an HttpExchange in a network of memory, with receivers in a line each. Shared by its tests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/client.h"
#include "http/testing/memory_net.h"

namespace semel::http::testing {

inline const SocketAddress kShop = address("93.184.216.34:443");

inline std::string ok(std::string_view body = "") {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

struct ExchangeWorld {
  explicit ExchangeWorld(egress::EgressRules rules = {}, ExchangeOptions options = {}) {
    resolver.knows("shop.example", {"93.184.216.34"});
    exchange = std::make_unique<HttpExchange>(net, resolver, clock, std::move(rules), options);
  }
  ~ExchangeWorld() { exchange.reset(); }

  // Each receiver at `at` runs `on_bytes` whenever request bytes arrive.
  void receiver(SocketAddress at, std::function<void(Peer&)> on_bytes) {
    net.places[at].on_connect = [on_bytes = std::move(on_bytes)](Peer& peer) { peer.on_bytes = on_bytes; };
  }
  void answers(SocketAddress at, std::string bytes) {
    receiver(at, [bytes = std::move(bytes)](Peer& peer) { peer.send(bytes); });
  }

  SealedRequest request(std::string_view url = "https://shop.example/hook") const {
    egress::EgressRules all;
    all.allowed = {{.network = ip("0.0.0.0"), .prefix_length = 0, .ports = {{1, 65535}}},
                   {.network = ip("::"), .prefix_length = 0, .ports = {{1, 65535}}}};
    return {.pool = {.tenant = {1}, .endpoint = {2}, .config = {3}},
            .url = *egress::parse_url(url, all),
            .headers = "webhook-id: evt_1\r\n",
            .body = "{}",
            .timeout = milliseconds(15'000)};
  }
  Outcome send(SealedRequest sealed) { return clock.run(exchange->exchange(std::move(sealed))); }
  Outcome send() { return send(request()); }

  MemoryClock clock;
  MemoryNet net{clock};
  MemoryResolver resolver{clock};
  std::unique_ptr<HttpExchange> exchange;
};

}  // namespace semel::http::testing
