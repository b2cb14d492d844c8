// authorization_fuzz.cc: the Authorization header: what was taken is a key's id and the hash of its secret, and nothing
// else of its shape is the same key.
#include <string>

#include "core/access/access.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {

void authorization(std::string_view bytes) {
  const auto presented = access::read_authorization(bytes);
  if (!presented) return;
  const std::string text(bytes);
  SEMEL_CHECK(!access::read_authorization(text + "x"));
  const std::string id = text.substr(text.find(' ') + 1, 36);
  SEMEL_CHECK(presented->id.text == id);
  SEMEL_CHECK(is_valid_id(id) && id.starts_with("key_"));
  SEMEL_CHECK(text.size() == std::string_view("Bearer ").size() + 36 + 1 + 43);

  const access::ApiKey key{.id = presented->id,
                           .secret_hash = presented->hash,
                           .role = access::Role::producer,
                           .tenant = {},
                           .client = "shop",
                           .event_types = {}};
  SEMEL_CHECK(access::accepts(&key, *presented));
  SEMEL_CHECK(!access::accepts(nullptr, *presented));
  std::string other = text;
  other.back() = other.back() == 'A' ? 'B' : 'A';
  SEMEL_CHECK(!access::accepts(&key, access::read_authorization(other).value()));
}

}  // namespace semel::fuzz
