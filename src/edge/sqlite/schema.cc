// schema.cc: PRAGMA application_id says whose file it is, PRAGMA user_version which schema.
#include "edge/sqlite/schema.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "base/probe.h"
#include "edge/sqlite/pattern_list.h"
#include "edge/sqlite/statement.h"
#include "port/store.h"
#include "sql/queries.h"

namespace semel::sqlite {
namespace {

constexpr std::int64_t kApplicationId = 0x53454D4C;  // "SEML"
constexpr std::string_view kDefaultTenant = "default";

void insert_tenant(Connection& connection, std::string_view name, Secrets& secrets, Entropy& entropy) {
  std::array<std::uint8_t, 32> key{};
  entropy.fill(key);
  const std::string plain(reinterpret_cast<const char*>(key.data()), key.size());
  const std::string sealed = secrets.seal(plain, fmt::format("tenant/{}/fingerprint", name));
  Statement(connection, sql::insert_tenant).run(name, Blob{sealed}, patterns_json({"*"}));
}

void create(Connection& connection, Secrets& secrets, Entropy& entropy) {
  connection.use_log();
  connection.begin_immediate();
  connection.execute(std::string(sql::schema));
  {
    Statement insert_shard(connection, sql::insert_shard);
    for (int shard = 0; shard < store::kShards && !connection.failure(); ++shard) insert_shard.run(shard);
  }
  if (!connection.failure()) insert_tenant(connection, kDefaultTenant, secrets, entropy);
  connection.execute(fmt::format("PRAGMA application_id={}", kApplicationId));
  connection.execute(fmt::format("PRAGMA user_version={}", kSchemaVersion));
  connection.commit();
  connection.rollback();
}

}  // namespace

Result<Found> open_schema(Connection& connection, Secrets& secrets, Entropy& entropy) {
  const std::int64_t application = connection.pragma_number("application_id");
  const std::int64_t version = connection.pragma_number("user_version");
  const std::int64_t tables = connection.pragma_number("schema_version");
  SEMEL_TRY_VOID(connection.take_failure());
  if (application == 0 && version == 0 && tables == 0) {
    create(connection, secrets, entropy);
    SEMEL_TRY_VOID(connection.take_failure());
    probe::reached<"sqlite.store_made">();
    return Found::created;
  }
  if (application != kApplicationId) return fail(Fault::invalid, "the file is a database, but not a store of Semel");
  if (version > kSchemaVersion)
    return fail(Fault::invalid, fmt::format("the store was written by a newer version of Semel (schema {}, this one "
                                            "knows up to {}); use that version",
                                            version, kSchemaVersion));
  if (version < kSchemaVersion)
    return fail(Fault::invalid, fmt::format("the store has the unknown schema {}", version));
  connection.use_log();
  SEMEL_TRY_VOID(connection.take_failure());
  probe::reached<"sqlite.store_found">();
  return Found::existing;
}

Result<Fence> raise_fences(Connection& connection) {
  connection.begin_immediate();
  Fence fence{0};
  {
    Statement(connection, sql::raise_fences).run();
    Statement read_fences(connection, sql::read_fences);
    auto rows = read_fences.query();
    while (rows.next()) fence = rows.get<Fence>(1);
  }
  connection.commit();
  connection.rollback();
  SEMEL_TRY_VOID(connection.take_failure());
  return fence;
}

}  // namespace semel::sqlite
