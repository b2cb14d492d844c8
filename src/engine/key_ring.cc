// key_ring.cc: API keys in memory. A key opens nothing before its row is committed and nothing once its deletion is
// known to be; after one in doubt it stands in memory until its deletion is asked for again, or the next start.
#include "engine/key_ring.h"

#include <algorithm>
#include <utility>

#include "engine/commit_error.h"

namespace semel::engine {

Co<Result<void>> KeyRing::load() {
  auto rows = co_await store::read(store_, [](store::StoreReader& reader) { return reader.api_keys(); });
  if (!rows) co_return std::unexpected(rows.error());
  keys_.clear();
  for (store::ApiKeyRow& row : *rows) keys_.emplace(row.key.id, std::move(row));
  co_return Result<void>{};
}

void KeyRing::set_operator_key(access::ApiKey key) { operator_key_ = std::move(key); }

const access::ApiKey* KeyRing::authenticate(std::string_view authorization) const {
  const std::optional<access::Presented> presented = access::read_authorization(authorization);
  if (!presented) return nullptr;
  const access::ApiKey* key = nullptr;
  if (operator_key_ && operator_key_->id == presented->id) {
    key = &*operator_key_;
  } else if (const auto found = keys_.find(presented->id); found != keys_.end()) {
    key = &found->second.key;
  }
  return access::accepts(key, *presented) ? key : nullptr;
}

Co<Result<MadeKey>> KeyRing::create(NewKey key) {
  const WallTime now = clock_.wall();
  const ApiKeyId id{make_id("key_", now, entropy_)};
  access::NewSecret secret = access::make_secret(id, entropy_);
  store::ApiKeyRow row{.key = {.id = id,
                               .secret_hash = secret.hash,
                               .role = key.role,
                               .tenant = key.tenant,
                               .client = std::move(key.client),
                               .event_types = std::move(key.event_types)},
                       .created_at = now};
  auto committed = committed_or_error(co_await store::commit(store_, store::CreateApiKey{.key = row.key, .now = now}));
  if (!committed) co_return std::unexpected(committed.error());
  keys_.emplace(id, row);
  co_return MadeKey{.row = std::move(row), .text = std::move(secret.text)};
}

Co<Result<void>> KeyRing::remove(const ApiKeyId& id) {
  if (!keys_.contains(id)) co_return fail(Fault::not_found, "no API key has this id");
  auto committed = committed_or_error(co_await store::commit(store_, store::DeleteApiKey{.id = id}));
  // Not in the store: an earlier deletion, whose answer was lost, has done it.
  const bool was_gone = !committed && committed.error().fault == Fault::not_found;
  if (!committed && !was_gone) co_return std::unexpected(committed.error());
  keys_.erase(id);
  co_return Result<void>{};
}

std::vector<store::ApiKeyRow> KeyRing::list() const {
  std::vector<store::ApiKeyRow> rows;
  rows.reserve(keys_.size());
  for (const auto& [id, row] : keys_) rows.push_back(row);
  std::ranges::sort(rows, {}, [](const store::ApiKeyRow& row) -> const ApiKeyId& { return row.key.id; });
  return rows;
}

}  // namespace semel::engine
