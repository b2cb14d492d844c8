// access.cc: the table of rights first, then the text of keys and the check of a presented one.
#include "core/access/access.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace semel::access {
namespace {

constexpr std::string_view kScheme = "bearer ";
constexpr std::string_view kIdPrefix = "key_";
constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kSecretLength = 43;  // 32 bytes as base64url without padding

std::span<const Right> rights_of(Role role) {
  static constexpr Right kProducer[] = {Right::send_events};
  static constexpr Right kManager[] = {Right::read, Right::manage_endpoints, Right::replay};
  static constexpr Right kReader[] = {Right::read};
  static constexpr Right kOperator[] = {Right::send_events, Right::read, Right::manage_endpoints, Right::replay,
                                        Right::manage_keys};
  switch (role) {
    case Role::producer:
      return kProducer;
    case Role::manager:
      return kManager;
    case Role::reader:
      return kReader;
    case Role::operator_:
      return kOperator;
  }
  std::unreachable();
}

// RFC 4648 section 5, without padding.
std::string to_base64url(std::string_view bytes) {
  std::string text = to_base64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

SecretHash hash_of(std::string_view secret) {
  SecretHash hash;
  SHA256(as_bytes(secret).data(), secret.size(), hash.data());
  return hash;
}

bool is_key_id(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.starts_with(kIdPrefix) && text.size() == kIdPrefix.size() + kIdDigits &&
         std::ranges::all_of(text.substr(kIdPrefix.size()), is_hex);
}

bool is_secret(std::string_view text) {
  const auto is_base64url = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return text.size() == kSecretLength && std::ranges::all_of(text, is_base64url);
}

// RFC 9110 section 11.1: the name of a scheme is read in any case.
bool has_scheme(std::string_view header) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(header.substr(0, kScheme.size()), kScheme, {}, lower);
}

}  // namespace

const char* name_of(Role role) {
  switch (role) {
    case Role::producer:
      return "producer";
    case Role::manager:
      return "manager";
    case Role::reader:
      return "reader";
    case Role::operator_:
      return "operator";
  }
  std::unreachable();
}

std::optional<Role> parse_role(std::string_view text) {
  for (const Role role : {Role::producer, Role::manager, Role::reader, Role::operator_})
    if (text == name_of(role)) return role;
  return std::nullopt;
}

bool has_right(Role role, Right right) {
  const auto rights = rights_of(role);
  return std::ranges::find(rights, right) != rights.end();
}

NewSecret make_secret(const ApiKeyId& id, Random& random) {
  SEMEL_CHECK(is_key_id(id.text));
  std::array<std::uint8_t, 32> bytes;
  random.fill(bytes);
  const std::string secret = to_base64url(as_text(bytes));
  return {id.text + "." + secret, hash_of(secret)};
}

std::optional<Presented> read_authorization(std::string_view header) {
  if (!has_scheme(header)) return std::nullopt;
  const std::string_view key = header.substr(kScheme.size());
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view id = key.substr(0, dot);
  const std::string_view secret = key.substr(dot + 1);
  if (!is_key_id(id) || !is_secret(secret)) return std::nullopt;
  return Presented{{std::string(id)}, hash_of(secret)};
}

bool accepts(const ApiKey* key, const Presented& presented) {
  static constexpr SecretHash kNobody{};
  const SecretHash& expected = key != nullptr ? key->secret_hash : kNobody;
  const bool equal = CRYPTO_memcmp(expected.data(), presented.hash.data(), expected.size()) == 0;
  return equal && key != nullptr && key->id == presented.id;
}

}  // namespace semel::access
