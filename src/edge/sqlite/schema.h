// schema.h: a database file becomes a store of this version, or is refused.
#pragma once

#include "base/keys.h"
#include "edge/sqlite/connection.h"
#include "port/entropy.h"
#include "port/secrets.h"

namespace semel::sqlite {

inline constexpr std::int64_t kSchemaVersion = 1;

enum class Found { existing, created };

// Turns on the write-ahead log. Creates the tables, the shards and the tenant `default` in an empty file, in one
// transaction; checks the version of any other. Fault::invalid: written by a newer version, or not a store; then
// nothing is changed.
Result<Found> open_schema(Connection& connection, Secrets& secrets, Entropy& entropy);

// Takes all shards: their fence becomes one more than any before. Committed when it returns.
Result<Fence> raise_fences(Connection& connection);

}  // namespace semel::sqlite
