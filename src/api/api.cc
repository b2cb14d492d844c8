// api.cc: the door.
#include "api/api.h"

#include <utility>

#include "api/routes.h"
#include "base/match.h"
#include "base/probe.h"

namespace semel::api {

namespace {

constexpr std::string_view kDefaultTenant = "default";

Answered<Routed> route(const HttpRequest& request) {
  return match(
      find_route(routes(), request.method, request.path), [](Routed routed) -> Answered<Routed> { return routed; },
      [](NoSuchPath) -> Answered<Routed> {
        probe::reached<"api.no_such_path">();
        return refuse("NOT_FOUND", "no route has this path");
      },
      [](const OtherMethods& other) -> Answered<Routed> {
        probe::reached<"api.method_not_allowed">();
        Problem found = problem("METHOD_NOT_ALLOWED", "this resource knows " + other.allow);
        found.headers.emplace_back("allow", other.allow);
        return std::unexpected(std::move(found));
      });
}

Answered<const access::ApiKey*> authenticate(const engine::KeyRing& keys, const HttpRequest& request) {
  const std::optional<std::string_view> authorization = request.header("authorization");
  if (const access::ApiKey* key = authorization ? keys.authenticate(*authorization) : nullptr) return key;
  probe::reached<"api.not_authenticated">();
  Problem found = problem("NOT_AUTHENTICATED", "send Authorization: Bearer and an API key");
  found.headers.emplace_back("www-authenticate", "Bearer realm=\"semel\"");
  return std::unexpected(std::move(found));
}

Answered<void> check_right(const Route& route, const access::ApiKey& key) {
  if (!route.right || access::has_right(key.role, *route.right)) return {};
  probe::reached<"api.forbidden">();
  return refuse("FORBIDDEN", std::string("the role ") + access::name_of(key.role) + " may not call this route");
}

// A key of one tenant gets the same answer for every other name, whether such a tenant exists or not.
Answered<TenantKey> choose_tenant(const engine::Tenants& tenants, const access::ApiKey& key,
                                  const HttpRequest& request) {
  const std::vector<std::string_view> named = request.header_lines("semel-tenant");
  if (named.size() > 1) return refuse("TENANT_FORBIDDEN", "semel-tenant comes twice");
  if (key.tenant) {
    if (!named.empty() && named.front() != tenants.at(*key.tenant).name)
      return refuse("TENANT_FORBIDDEN", "this key belongs to another tenant than semel-tenant names");
    return *key.tenant;
  }
  const engine::KnownTenant* tenant = tenants.find(named.empty() ? kDefaultTenant : named.front());
  if (tenant == nullptr) return refuse("TENANT_FORBIDDEN", "semel-tenant names no tenant of this server");
  return tenant->key;
}

Answered<std::optional<idempotency::IdempotencyKey>> read_key(const Route& route, const HttpRequest& request) {
  const std::vector<std::string_view> lines = request.header_lines("idempotency-key");
  if (lines.empty() || request.method == "GET") return std::nullopt;
  if (route.key == KeyUse::refused)
    return refuse("IDEMPOTENCY_KEY_UNSUPPORTED", "only POST /v1/events and /v1/events/batch honour Idempotency-Key");
  Result<idempotency::IdempotencyKey> key = idempotency::parse_key(lines);
  if (!key) return refuse("IDEMPOTENCY_KEY_INVALID", key.error().note);
  return *std::move(key);
}

struct Passed {
  Handler handler;
  ApiCall call;
};

Answered<Passed> pass_door(Services& services, HttpRequest request) {
  Answered<Routed> routed = route(request);
  if (!routed) return std::unexpected(std::move(routed.error()));
  const Route& found = *routed->route;
  Answered<const access::ApiKey*> key = authenticate(services.keys, request);
  if (!key) return std::unexpected(std::move(key.error()));
  if (Answered<void> allowed = check_right(found, **key); !allowed) return std::unexpected(std::move(allowed.error()));
  Answered<TenantKey> tenant = choose_tenant(services.tenants, **key, request);
  if (!tenant) return std::unexpected(std::move(tenant.error()));
  Answered<std::optional<idempotency::IdempotencyKey>> idempotency_key = read_key(found, request);
  if (!idempotency_key) return std::unexpected(std::move(idempotency_key.error()));
  Answered<Query> query = Query::parse(request.query, found.query);
  if (!query) return std::unexpected(std::move(query.error()));
  return Passed{.handler = found.handler,
                .call = {.request = std::move(request),
                         .path = std::move(routed->path),
                         .query = *std::move(query),
                         .tenant = *tenant,
                         .caller = {.client = (*key)->client,
                                    .every_tenant = !(*key)->tenant.has_value(),
                                    .event_types = (*key)->event_types},
                         .idempotency_key = *std::move(idempotency_key)}};
}

}  // namespace

Co<HttpResponse> Api::handle(HttpRequest request) {
  Answered<Passed> passed = pass_door(services_, std::move(request));
  if (!passed) co_return problem_response(passed.error(), services_.entropy);
  Answer answer = co_await passed->handler(services_, std::move(passed->call));
  if (!answer) co_return problem_response(answer.error(), services_.entropy);
  co_return *std::move(answer);
}

}  // namespace semel::api
