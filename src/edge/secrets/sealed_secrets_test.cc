// sealed_secrets_test.cc: what is sealed opens in its own row, under its own key, unchanged, and in no other way.
#include "edge/secrets/sealed_secrets.h"

#include <gtest/gtest.h>

#include <set>

#include "base/bytes.h"

namespace semel {
namespace {

constexpr const char* kRow = "endpoint/ep_1/secret/1";
constexpr const char* kPlain = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

MasterKey key_of(std::uint8_t byte) {
  std::array<std::uint8_t, MasterKey::kSize> bytes;
  bytes.fill(byte);
  return MasterKey(bytes);
}

class FixedRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = 0;
  }
  std::uint64_t next() override { return 0; }
};

class SealedSecretsTest : public testing::Test {
 protected:
  SeededRandom random_{11};
  SealedSecrets secrets_{key_of(1), random_};
};

TEST_F(SealedSecretsTest, what_is_sealed_opens_again) {
  for (const std::string& plain :
       {std::string(kPlain), std::string(), std::string(100'000, 'x'), std::string("\0a", 2)}) {
    const std::string sealed = secrets_.seal(plain, kRow);
    EXPECT_EQ(sealed.size(), plain.size() + 29);
    EXPECT_EQ(secrets_.unseal(sealed, kRow).value(), plain);
  }
}

TEST_F(SealedSecretsTest, a_sealed_row_shows_nothing_of_its_secret_and_no_two_are_alike) {
  EXPECT_EQ(secrets_.seal(kPlain, kRow).find("MfKQ"), std::string::npos);
  std::set<std::string> sealed;
  for (int i = 0; i < 1000; ++i) sealed.insert(secrets_.seal(kPlain, kRow));
  EXPECT_EQ(sealed.size(), 1000u);
}

TEST_F(SealedSecretsTest, swapped_rows_do_not_open) {
  const std::string first = secrets_.seal("first", "endpoint/ep_1/secret/1");
  const std::string second = secrets_.seal("second", "endpoint/ep_2/secret/1");
  EXPECT_EQ(secrets_.unseal(first, "endpoint/ep_2/secret/1").error().fault, Fault::corrupt);
  EXPECT_EQ(secrets_.unseal(second, "endpoint/ep_1/secret/1").error().fault, Fault::corrupt);
  EXPECT_EQ(secrets_.unseal(first, "endpoint/ep_1/secret/2").error().fault, Fault::corrupt);
  EXPECT_EQ(secrets_.unseal(first, "").error().fault, Fault::corrupt);
}

TEST_F(SealedSecretsTest, one_changed_bit_anywhere_and_it_does_not_open) {
  const std::string sealed = secrets_.seal(kPlain, kRow);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    const auto opened = secrets_.unseal(changed, kRow);
    ASSERT_FALSE(opened.has_value()) << i;
    EXPECT_EQ(opened.error().fault, Fault::corrupt);
  }
}

TEST_F(SealedSecretsTest, cut_or_lengthened_it_does_not_open) {
  const std::string sealed = secrets_.seal(kPlain, kRow);
  for (std::size_t length = 0; length < sealed.size(); ++length)
    EXPECT_EQ(secrets_.unseal(sealed.substr(0, length), kRow).error().fault, Fault::corrupt) << length;
  EXPECT_EQ(secrets_.unseal(sealed + "x", kRow).error().fault, Fault::corrupt);
  EXPECT_EQ(secrets_.unseal(sealed + std::string(2'000'000, 'x'), kRow).error().fault, Fault::corrupt);
}

TEST_F(SealedSecretsTest, another_master_key_does_not_open_it) {
  SealedSecrets other(key_of(2), random_);
  EXPECT_EQ(other.unseal(secrets_.seal(kPlain, kRow), kRow).error().fault, Fault::corrupt);
}

// Key and nonce of zeros, one block of zeros: test case 14 of the GCM specification (McGrew, Viega), without a row.
TEST(SealedForm, is_version_nonce_ciphertext_tag_of_aes_256_gcm) {
  FixedRandom zeros;
  SealedSecrets secrets(key_of(0), zeros);
  EXPECT_EQ(to_hex(secrets.seal(std::string(16, '\0'), "")),
            "01"
            "000000000000000000000000"
            "cea7403d4d606b6e074ec5d3baf39d18"
            "d0d1c8a799996bf0265b98b5d48ab919");
}

}  // namespace
}  // namespace semel
