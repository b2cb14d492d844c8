// access_test.cc: who may do what, how a key is read, and when it is taken.
#include "core/access/access.h"

#include <gtest/gtest.h>

#include <set>

#include "base/bytes.h"

namespace semel::access {
namespace {

constexpr const char* kId = "key_0193d5f2a8c07b3e9f4d6a1b2c3d4e5f";
constexpr const char* kOtherId = "key_0193d5f2a8c07b3e9f4d6a1b2c3d4e60";
constexpr const char* kSecret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
// SHA-256 of the 43 characters above.
constexpr const char* kHashHex = "ea866a757e4c38babfa8127cbe9a409d3e1f93a00ff1488ff735fcf917afffd0";

std::string bearer(std::string_view id, std::string_view secret) {
  return "Bearer " + std::string(id) + "." + std::string(secret);
}

ApiKey key_with(const SecretHash& hash) {
  return {.id = {kId}, .secret_hash = hash, .role = Role::reader, .tenant = {}, .client = "c", .event_types = {}};
}

struct Rights {
  Role role;
  bool send_events;
  bool read;
  bool manage_endpoints;
  bool replay;
  bool manage_keys;
};

TEST(Rights, each_role_has_its_own_and_no_other) {
  constexpr Rights kTable[] = {
      {Role::producer, true, false, false, false, false},
      {Role::manager, false, true, true, true, false},
      {Role::reader, false, true, false, false, false},
      {Role::operator_, true, true, true, true, true},
  };
  for (const Rights& row : kTable) {
    EXPECT_EQ(has_right(row.role, Right::send_events), row.send_events) << name_of(row.role);
    EXPECT_EQ(has_right(row.role, Right::read), row.read) << name_of(row.role);
    EXPECT_EQ(has_right(row.role, Right::manage_endpoints), row.manage_endpoints) << name_of(row.role);
    EXPECT_EQ(has_right(row.role, Right::replay), row.replay) << name_of(row.role);
    EXPECT_EQ(has_right(row.role, Right::manage_keys), row.manage_keys) << name_of(row.role);
  }
}

TEST(RoleName, is_read_back_and_nothing_else_is) {
  EXPECT_EQ(parse_role("producer"), Role::producer);
  EXPECT_EQ(parse_role("manager"), Role::manager);
  EXPECT_EQ(parse_role("reader"), Role::reader);
  EXPECT_EQ(parse_role("operator"), Role::operator_);
  for (const char* bad : {"", "operator_", "Operator", "admin", "*", "reader "})
    EXPECT_EQ(parse_role(bad), std::nullopt);
}

TEST(NewKey, is_accepted_and_only_the_hash_of_its_secret_is_kept) {
  SeededRandom random(3);
  const NewSecret made = make_secret({kId}, random);
  EXPECT_EQ(made.text.size(), 36u + 1 + 43);
  EXPECT_TRUE(made.text.starts_with(std::string(kId) + "."));
  const auto presented = read_authorization("Bearer " + made.text);
  ASSERT_TRUE(presented.has_value());
  EXPECT_EQ(presented->hash, made.hash);
  const ApiKey key = key_with(made.hash);
  EXPECT_TRUE(accepts(&key, *presented));
}

TEST(NewKey, no_two_are_alike) {
  SeededRandom random(3);
  std::set<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.insert(make_secret({kId}, random).text);
  EXPECT_EQ(texts.size(), 1000u);
}

TEST(Authorization, keeps_the_id_and_the_sha_256_of_the_secret) {
  const auto presented = read_authorization(bearer(kId, kSecret));
  ASSERT_TRUE(presented.has_value());
  EXPECT_EQ(presented->id.text, kId);
  EXPECT_EQ(to_hex(as_text(presented->hash)), kHashHex);
}

struct Header {
  std::string text;
  bool read;
};

TEST(Authorization, is_read_strictly) {
  const std::string key = std::string(kId) + "." + kSecret;
  const std::string secret = kSecret;
  const Header kCases[] = {
      {"Bearer " + key, true},
      {"bearer " + key, true},
      {"BEARER " + key, true},
      {"", false},
      {"Bearer", false},
      {"Bearer ", false},
      {key, false},
      {"Basic " + key, false},
      {"Bearer\t" + key, false},
      {"Bearer  " + key, false},
      {"Bearer " + key + " ", false},
      {"Bearer " + key + ".x", false},
      {bearer(kId, ""), false},
      {bearer("", kSecret), false},
      {bearer(kId, secret.substr(1)), false},
      {bearer(kId, secret + "A"), false},
      {bearer(kId, secret.substr(1) + "+"), false},
      {bearer(kId, secret.substr(1) + "="), false},
      {bearer(kId, secret.substr(1) + std::string(1, '\0')), false},
      {bearer("key_0193D5F2A8C07B3E9F4D6A1B2C3D4E5F", kSecret), false},
      {bearer("ep_0193d5f2a8c07b3e9f4d6a1b2c3d4e5f0", kSecret), false},
      {bearer("key_0193d5f2a8c07b3e9f4d6a1b2c3d4e5", kSecret), false},
  };
  for (const Header& header : kCases)
    EXPECT_EQ(read_authorization(header.text).has_value(), header.read) << header.text;
}

TEST(Accepts, refuses_an_unknown_key_another_keys_secret_and_any_changed_byte) {
  const Presented presented = read_authorization(bearer(kId, kSecret)).value();
  EXPECT_FALSE(accepts(nullptr, presented));

  ApiKey key = key_with(presented.hash);
  EXPECT_TRUE(accepts(&key, presented));
  key.id = {kOtherId};
  EXPECT_FALSE(accepts(&key, presented)) << "the secret of one id does not open another";

  for (std::size_t i = 0; i < 32; ++i) {
    SecretHash changed = presented.hash;
    changed[i] ^= 0x80;
    const ApiKey other = key_with(changed);
    EXPECT_FALSE(accepts(&other, presented)) << i;
  }
}

TEST(Accepts, an_absent_key_is_refused_even_for_the_hash_it_is_compared_with) {
  EXPECT_FALSE(accepts(nullptr, {{kId}, SecretHash{}}));
}

}  // namespace
}  // namespace semel::access
