// endpoint_book.cc: endpoints and subscriptions against the store, and the live copies that attempts sign with.
#include "engine/endpoint_book.h"

#include <utility>

#include "base/check.h"
#include "base/planted.h"
#include "base/probe.h"
#include "engine/commit_error.h"

namespace semel::engine {

namespace {

std::string secret_row(const EndpointId& endpoint, std::int64_t number) {
  return "endpoint/" + endpoint.text + "/secret/" + std::to_string(number);
}

Result<signature::Signer> make_signer(const store::Endpoint& row, Secrets& secrets) {
  std::vector<signature::Signer::Key> keys;
  for (const store::SealedSecret& sealed : row.secrets) {
    SEMEL_TRY(text, planted(Planted::secret_stored_plain)
                        ? sealed.sealed
                        : secrets.unseal(sealed.sealed, secret_row(row.id, sealed.number)));
    SEMEL_TRY(secret, signature::parse_secret(text));
    keys.push_back({.secret = std::move(secret), .window = {.not_after = sealed.not_after}});
  }
  return signature::Signer(std::move(keys));
}

}  // namespace

Result<std::shared_ptr<LiveEndpoint>> EndpointBook::enliven(const store::Endpoint& row) {
  SEMEL_TRY(config, endpoint::read_config_json(row.config_json));
  SEMEL_TRY(signer, make_signer(row, secrets_));
  return std::make_shared<LiveEndpoint>(LiveEndpoint{.key = row.key,
                                                     .tenant = row.tenant,
                                                     .id = row.id,
                                                     .version = row.version,
                                                     .config = std::move(config),
                                                     .signer = std::move(signer),
                                                     .wait = row.wait});
}

Co<Result<void>> EndpointBook::load() {
  auto rows = co_await store::read(store_, [](store::StoreReader& reader) { return reader.endpoints(std::nullopt); });
  if (!rows) co_return std::unexpected(rows.error());
  std::unordered_map<EndpointKey, std::shared_ptr<LiveEndpoint>> live;
  for (const store::Endpoint& row : *rows) {
    auto endpoint = enliven(row);
    if (!endpoint) co_return std::unexpected(endpoint.error());
    live.emplace(row.key, *std::move(endpoint));
  }
  live_ = std::move(live);
  co_return Result<void>{};
}

// Others may be made or deleted while this reads: it only adds.
Co<Result<void>> EndpointBook::find_missing() {
  auto rows = co_await store::read(store_, [](store::StoreReader& reader) { return reader.endpoints(std::nullopt); });
  if (!rows) co_return std::unexpected(rows.error());
  for (const store::Endpoint& row : *rows) {
    if (live_.contains(row.key)) continue;
    auto endpoint = co_await reload(row.key);  // as it stands now: it may be gone again
    if (!endpoint) co_return std::unexpected(endpoint.error());
    probe::sometimes<"endpoint.found_after_a_doubt">(*endpoint != nullptr);
  }
  co_return Result<void>{};
}

std::vector<std::shared_ptr<LiveEndpoint>> EndpointBook::all() const {
  std::vector<std::shared_ptr<LiveEndpoint>> endpoints;
  endpoints.reserve(live_.size());
  for (const auto& [key, endpoint] : live_) endpoints.push_back(endpoint);
  return endpoints;
}

std::shared_ptr<LiveEndpoint> EndpointBook::find(EndpointKey key) const {
  const auto found = live_.find(key);
  return found == live_.end() ? nullptr : found->second;
}

Co<Result<std::shared_ptr<LiveEndpoint>>> EndpointBook::reload(EndpointKey key) {
  auto row = co_await store::read(store_, [key](store::StoreReader& reader) { return reader.endpoint(key); });
  if (!row) co_return std::unexpected(row.error());
  if (!*row || (*row)->deleted_at) {
    probe::reached<"endpoint.found_deleted">();
    live_.erase(key);
    co_return nullptr;
  }
  // Two reloads may overlap; the older snapshot must not replace the newer one.
  if (const auto standing = find(key); standing && standing->version > (*row)->version) co_return standing;
  auto endpoint = enliven(**row);
  if (!endpoint) co_return std::unexpected(endpoint.error());
  probe::reached<"endpoint.reloaded">();
  live_[key] = *endpoint;
  co_return *std::move(endpoint);
}

Co<Result<MadeEndpoint>> EndpointBook::create(TenantKey tenant, endpoint::NewEndpoint endpoint) {
  const WallTime now = clock_.wall();
  const EndpointId id{make_id("ep_", now, entropy_)};
  signature::Secret secret;
  if (endpoint.secret) {
    auto given = signature::parse_secret(*endpoint.secret);
    if (!given) co_return std::unexpected(given.error());
    secret = *std::move(given);
  } else {
    secret = signature::make_secret(endpoint.asymmetric ? signature::Scheme::ed25519 : signature::Scheme::hmac_sha256,
                                    entropy_);
  }
  MadeEndpoint made;
  made.secret = signature::format_secret(secret);
  if (secret.scheme == signature::Scheme::ed25519) made.public_key = signature::public_key(secret);

  store::CreateEndpoint row{.tenant = tenant,
                            .id = id,
                            .config_json = endpoint::config_json(endpoint.config),
                            .sealed_secret = planted(Planted::secret_stored_plain)
                                                 ? made.secret
                                                 : secrets_.seal(made.secret, secret_row(id, 1)),
                            .now = now};
  if (endpoint.event_types)
    row.subscription = store::CreateEndpoint::FirstSubscription{.id = {make_id("sub_", now, entropy_)},
                                                                .event_types = *std::move(endpoint.event_types)};
  auto committed = committed_or_error(co_await store::commit(store_, std::move(row)));
  if (!committed) co_return std::unexpected(committed.error());
  made.row = std::get<store::Endpoint>(std::move(committed->made));
  auto live = enliven(made.row);
  if (!live) co_return std::unexpected(live.error());
  live_[made.row.key] = *std::move(live);
  co_return made;
}

Co<Result<EndpointKey>> EndpointBook::remove(TenantKey tenant, const EndpointId& id) {
  auto row = co_await show(tenant, id);
  if (!row) co_return std::unexpected(row.error());
  probe::sometimes<"endpoint.deleted_twice">(row->deleted_at.has_value());
  if (row->deleted_at) {
    live_.erase(row->key);  // the answer of an earlier deletion may have been lost
    co_return row->key;
  }
  auto committed = committed_or_error(
      co_await store::commit(store_, store::DeleteEndpoint{.tenant = tenant, .id = id, .now = clock_.wall()}));
  if (!committed) co_return std::unexpected(committed.error());
  live_.erase(row->key);
  co_return row->key;
}

Co<Result<std::vector<store::Endpoint>>> EndpointBook::list(TenantKey tenant) {
  co_return co_await store::read(store_, [tenant](store::StoreReader& reader) { return reader.endpoints(tenant); });
}

Co<Result<store::Endpoint>> EndpointBook::show(TenantKey tenant, const EndpointId& id) {
  auto row = co_await store::read(store_, [&](store::StoreReader& reader) { return reader.endpoint(tenant, id); });
  if (!row) co_return std::unexpected(row.error());
  if (!*row) co_return fail(Fault::not_found, "no endpoint has this id");
  co_return **std::move(row);
}

Co<Result<store::Subscription>> EndpointBook::subscribe(TenantKey tenant, const EndpointId& endpoint,
                                                        std::vector<std::string> event_types) {
  const WallTime now = clock_.wall();
  store::CreateSubscription row{.tenant = tenant,
                                .id = {make_id("sub_", now, entropy_)},
                                .endpoint = endpoint,
                                .event_types = std::move(event_types),
                                .now = now};
  auto committed = committed_or_error(co_await store::commit(store_, std::move(row)));
  if (!committed) co_return std::unexpected(committed.error());
  co_return std::get<store::Subscription>(std::move(committed->made));
}

Co<Result<void>> EndpointBook::unsubscribe(TenantKey tenant, const SubscriptionId& id) {
  auto committed =
      committed_or_error(co_await store::commit(store_, store::DeleteSubscription{.tenant = tenant, .id = id}));
  if (!committed) co_return std::unexpected(committed.error());
  co_return Result<void>{};
}

Co<Result<std::vector<store::Subscription>>> EndpointBook::subscriptions(TenantKey tenant) {
  co_return co_await store::read(store_, [tenant](store::StoreReader& reader) { return reader.subscriptions(tenant); });
}

}  // namespace semel::engine
