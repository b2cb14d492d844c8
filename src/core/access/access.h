// access.h: who may call what. API keys, their roles, and the check of a presented key.
//
// A key's text is PREFIX_ID.SECRET: `key_` + 32 hexadecimal digits, a dot, 43 characters of base64url (256 bits). Only
// SHA-256 of the secret is stored; it is compared in constant time after a look-up by id, and an unknown id costs the
// same comparison.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/keys.h"
#include "base/random.h"
#include "base/result.h"

namespace semel::access {

enum class Role : std::uint8_t { producer = 1, manager = 2, reader = 3, operator_ = 4 };
const char* name_of(Role role);
std::optional<Role> parse_role(std::string_view text);

// What a route asks for.
enum class Right : std::uint8_t {
  send_events,       // producer, operator
  read,              // reader, manager, operator; a producer reads nothing
  manage_endpoints,  // manager, operator
  replay,            // manager, operator
  manage_keys,       // operator
};
bool has_right(Role role, Right right);

using SecretHash = std::array<std::uint8_t, 32>;

struct ApiKey {
  ApiKeyId id;
  SecretHash secret_hash;
  Role role;
  std::optional<TenantKey> tenant;                      // none: every tenant ("*"), named by the header semel-tenant
  std::string client;                                   // the caller's stable name in the scope of idempotency keys
  std::optional<std::vector<std::string>> event_types;  // patterns a producer's events must match; none: all
};

struct NewSecret {
  std::string text;  // what the caller presents, shown once: ID.SECRET
  SecretHash hash;
};
NewSecret make_secret(const ApiKeyId& id, Random& random);

struct Presented {
  ApiKeyId id;
  SecretHash hash;
};
// Reads the value of an Authorization header: "Bearer ID.SECRET".
std::optional<Presented> read_authorization(std::string_view header);

// Constant time; `key` may be absent.
bool accepts(const ApiKey* key, const Presented& presented);

}  // namespace semel::access
