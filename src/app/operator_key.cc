// operator_key.cc: found, or made and told.
#include "app/operator_key.h"

#include <algorithm>

#include "edge/os/files.h"

namespace semel::app {

namespace {

constexpr const char* kClient = "operator";

bool opens_everything(const store::ApiKeyRow& row) {
  return row.key.role == access::Role::operator_ && !row.key.tenant;
}

Result<void> tell(const Told& told, const std::string& text) {
  if (told.watched) {
    told.say("operator key, shown only now: " + text);
    return {};
  }
  SEMEL_TRY_VOID(write_file_atomically(told.file, text + "\n", 0600));
  told.say("operator key written to " + told.file);
  return {};
}

}  // namespace

Result<access::ApiKey> read_admin_key(std::string_view text) {
  const std::optional<access::Presented> presented = access::read_authorization("Bearer " + std::string(text));
  if (!presented)
    return fail(Fault::invalid,
                "SEMEL_ADMIN_KEY: key_ and 32 hexadecimal digits, a dot, and 43 characters of base64url are expected");
  return access::ApiKey{.id = presented->id,
                        .secret_hash = presented->hash,
                        .role = access::Role::operator_,
                        .tenant = std::nullopt,
                        .client = kClient,
                        .event_types = std::nullopt};
}

Co<Result<void>> provide_operator_key(engine::KeyRing& keys, Told told) {
  if (std::ranges::any_of(keys.list(), opens_everything)) co_return Result<void>{};
  const Result<engine::MadeKey> made = co_await keys.create(
      {.role = access::Role::operator_, .tenant = std::nullopt, .client = kClient, .event_types = std::nullopt});
  if (!made) co_return std::unexpected(made.error());
  const Result<void> said = tell(told, made->text);
  if (said) co_return said;
  // Nobody knows its text: the next start makes another.
  if (const Result<void> removed = co_await keys.remove(made->row.key.id); !removed) co_return removed;
  co_return said;
}

}  // namespace semel::app
