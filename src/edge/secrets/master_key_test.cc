// master_key_test.cc: where the key comes from, when it is made, and when a start is refused.
#include "edge/secrets/master_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/bytes.h"
#include "base/testing/temp_folder.h"

namespace semel {
namespace {

using Chosen = MasterKeyFile::Chosen;

constexpr const char* kHex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

class MasterKeyTest : public testing::Test {
 protected:
  std::string path(std::string_view name = "semel.db.key") const { return folder_.file(std::string(name)); }
  void write(std::string_view text, mode_t mode = 0600) const {
    std::ofstream(path()) << text;
    ASSERT_EQ(chmod(path().c_str(), mode), 0);
  }
  std::string read() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }
  Result<MasterKey> open(StoreAge store, Chosen chosen = Chosen::beside_store) {
    return open_master_key({.path = path(), .chosen = chosen}, store, random_);
  }

  TempFolder folder_;
  SeededRandom random_{5};
};

std::string hex_of(const MasterKey& key) { return to_hex(as_text(key.bytes())); }

TEST_F(MasterKeyTest, is_read_with_or_without_a_newline) {
  for (const char* end : {"", "\n"}) {
    write(std::string(kHex) + end);
    for (const StoreAge store : {StoreAge::fresh, StoreAge::existing})
      for (const Chosen chosen : {Chosen::by_operator, Chosen::beside_store})
        EXPECT_EQ(hex_of(open(store, chosen).value()), kHex);
  }
}

TEST_F(MasterKeyTest, is_made_with_a_fresh_store_for_its_owner_alone_and_read_by_the_next_start) {
  const std::string made = hex_of(open(StoreAge::fresh).value());
  EXPECT_EQ(read(), made + "\n");
  struct stat status{};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(status.st_nlink, 1u);
  EXPECT_EQ(hex_of(open(StoreAge::existing).value()), made);
  EXPECT_EQ(hex_of(open(StoreAge::fresh).value()), made) << "a key without a store is used, not replaced";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1) << "nothing is left beside it";
}

TEST_F(MasterKeyTest, the_mode_does_not_depend_on_the_umask) {
  const mode_t before = umask(0);
  const bool made = open(StoreAge::fresh).has_value();
  umask(before);
  ASSERT_TRUE(made);
  struct stat status{};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(MasterKeyTest, a_store_that_lost_its_key_is_refused_and_no_key_is_made) {
  EXPECT_EQ(open(StoreAge::existing).error().fault, Fault::not_found);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(MasterKeyTest, a_file_that_the_operator_named_is_never_made) {
  EXPECT_EQ(open(StoreAge::fresh, Chosen::by_operator).error().fault, Fault::not_found);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(MasterKeyTest, is_refused_when_other_users_may_read_or_change_it) {
  for (const mode_t mode : {0644u, 0640u, 0604u, 0620u, 0602u, 0601u, 0610u, 0666u}) {
    write(kHex, mode);
    EXPECT_EQ(open(StoreAge::existing).error().fault, Fault::forbidden) << mode;
  }
  for (const mode_t mode : {0600u, 0400u}) {
    write(kHex, mode);
    EXPECT_TRUE(open(StoreAge::existing).has_value()) << mode;
    chmod(path().c_str(), 0600);
  }
}

TEST_F(MasterKeyTest, is_refused_when_the_file_holds_anything_but_64_digits) {
  const std::string hex = kHex;
  for (const std::string& text :
       {std::string(), std::string("\n"), hex.substr(2), hex.substr(1), hex + "0", hex + "00", hex + "\n\n", hex + " ",
        "\n" + hex, hex.substr(1) + "g", "0x" + hex.substr(2), std::string(1 << 20, '0')}) {
    write(text);
    EXPECT_EQ(open(StoreAge::existing).error().fault, Fault::invalid) << text.size();
    EXPECT_EQ(open(StoreAge::fresh).error().fault, Fault::invalid) << "never replaced";
  }
}

TEST_F(MasterKeyTest, is_refused_when_it_is_no_file_and_nobody_waits_for_a_pipe) {
  ASSERT_EQ(mkdir(path().c_str(), 0700), 0);
  EXPECT_EQ(open(StoreAge::existing).error().fault, Fault::invalid);
  ASSERT_EQ(rmdir(path().c_str()), 0);
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(open(StoreAge::existing).error().fault, Fault::invalid);
}

TEST_F(MasterKeyTest, no_refusal_repeats_the_key) {
  write(std::string(kHex) + "0");
  EXPECT_EQ(open(StoreAge::existing).error().note.find("0102030405"), std::string::npos);
}

TEST_F(MasterKeyTest, cannot_be_made_in_a_folder_that_is_not_there) {
  const auto key =
      open_master_key({.path = path("missing/semel.db.key"), .chosen = Chosen::beside_store}, StoreAge::fresh, random_);
  EXPECT_EQ(key.error().fault, Fault::unavailable);
}

// Draws its bytes only after somebody else has made the key: the later of two starts.
class LateRandom final : public Random {
 public:
  explicit LateRandom(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}
  void fill(std::span<std::uint8_t> bytes) override {
    meanwhile_();
    std::ranges::fill(bytes, std::uint8_t{0xee});
  }
  std::uint64_t next() override { return 0; }

 private:
  std::function<void()> meanwhile_;
};

TEST_F(MasterKeyTest, of_two_starts_that_make_it_at_once_both_get_the_same) {
  LateRandom late([&] { write(kHex); });
  const auto key = open_master_key({.path = path(), .chosen = Chosen::beside_store}, StoreAge::fresh, late);
  EXPECT_EQ(hex_of(key.value()), kHex);
  EXPECT_EQ(read(), kHex);
}

}  // namespace
}  // namespace semel
