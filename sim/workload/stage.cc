// stage.cc: asking over the network of the world.
#include "sim/workload/stage.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/json.h"

namespace semel::sim {
namespace {

constexpr milliseconds kPatience{20'000};

}  // namespace

ClientHost::ClientHost(Ground& ground, std::string name, std::uint32_t number)
    : process(std::move(name), ground.schedule, kTrueTime),
      net_(ground.net.net_of(process, client_ip(number))),
      resolver_(ground.net.resolver_of(process)),
      client_(*net_, *resolver_, process) {}

Co<Result<http::SimpleAnswer>> ClientHost::ask(std::string method, std::string path, std::string body, Headers headers,
                                               std::string_view key) {
  headers.emplace_back("authorization", fmt::format("Bearer {}", key));
  if (!body.empty()) headers.emplace_back("content-type", "application/json");
  const std::string url = fmt::format("http://{}{}", egress::format_socket_address({server_ip(), kServerPort}), path);
  co_return co_await ask_at(url, std::move(method), std::move(body), std::move(headers));
}

Co<Result<http::SimpleAnswer>> ClientHost::ask_at(std::string url, std::string method, std::string body,
                                                  Headers headers) {
  http::SimpleRequest request{.method = std::move(method),
                              .url = std::move(url),
                              .headers = std::move(headers),
                              .body = std::move(body),
                              .timeout = kPatience};
  co_return co_await client_.request(std::move(request));
}

std::optional<std::string> text_in(const http::SimpleAnswer& answer, std::string_view member) {
  const Result<JsonDocument> document = parse_json(answer.body);
  SEMEL_CHECK(document.has_value());
  const auto found = document->root().find(member);
  return found ? std::optional(std::string(found->text())) : std::nullopt;
}

}  // namespace semel::sim
