// guard.cc: the egress guard.
#include "http/guard.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/planted.h"
#include "base/probe.h"

namespace semel::http {
namespace {

NoAnswer denied() {
  return {.trouble = NoAnswer::Trouble::denied_destination, .note = "the destination is not allowed"};
}

NoAnswer unresolved(std::string note) {
  return {.trouble = NoAnswer::Trouble::name_resolution, .note = std::move(note)};
}

}  // namespace

Co<Dialed> Guard::connect(const egress::Url& url, Cancel& total) {
  Addresses addresses = co_await addresses_of(url, total);
  if (!addresses) co_return std::unexpected(std::move(addresses).error());
  const auto checked = std::span(*addresses).first(planted(Planted::guard_trusts_first_answer) ? 1 : addresses->size());
  const bool allowed = std::ranges::all_of(
      checked, [&](const SocketAddress& address) { return egress::may_connect(rules_, url.scheme, address); });
  probe::sometimes<"guard.denied">(!allowed);
  probe::sometimes<"guard.one_of_several_denied">(!allowed && addresses->size() > 1);
  if (!allowed) co_return std::unexpected(denied());
  std::optional<TlsName> tls;
  if (url.scheme == egress::Scheme::https) tls = TlsName{url.host};
  co_return co_await dial(net_, clock_, *std::move(addresses), std::move(tls), total);
}

Co<Guard::Addresses> Guard::addresses_of(const egress::Url& url, Cancel& total) {
  if (url.literal) co_return std::vector{SocketAddress{.ip = *url.literal, .port = url.port}};
  co_return co_await resolve(url, total);
}

Co<Guard::Addresses> Guard::resolve(const egress::Url& url, Cancel& total) {
  using Answers = Result<std::vector<IpAddress>>;
  Answers answers =
      co_await call<Answers>([&](Done<Answers> done) { resolver_.start_resolve(url.host, total, std::move(done)); });
  probe::sometimes<"guard.name_takes_too_long">(!answers && total.requested());
  probe::sometimes<"guard.name_unresolved">(!answers && !total.requested());
  if (!answers && total.requested()) co_return std::unexpected(timed_out_before_request());
  if (!answers) co_return std::unexpected(unresolved(std::move(answers.error().note)));
  if (answers->empty()) co_return std::unexpected(unresolved("the name has no address"));
  probe::sometimes<"guard.too_many_addresses">(answers->size() > Resolver::kAnswersMax);
  if (answers->size() > Resolver::kAnswersMax) co_return std::unexpected(unresolved("the name has over 16 addresses"));
  std::vector<SocketAddress> addresses;
  for (const IpAddress& ip : *answers) addresses.push_back({.ip = ip, .port = url.port});
  co_return addresses;
}

}  // namespace semel::http
