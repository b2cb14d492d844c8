// checks_test.cc: what doctor says about what it finds.
#include "cli/checks.h"
#include "base/testing/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace semel::cli {
namespace {

using Verdict = Finding::Verdict;

class ChecksTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes, mode_t mode) {
    const std::string path = folder_.file(name);
    std::ofstream(path) << bytes;
    chmod(path.c_str(), mode);
    return path;
  }
  TempFolder folder_;
};

TEST_F(ChecksTest, sqlite_before_3_51_3_is_named_with_its_checkpoint_rule) {
  EXPECT_EQ(check_sqlite(3'040'001).verdict, Verdict::note);
  EXPECT_EQ(check_sqlite(3'040'001).text.substr(0, 6), "3.40.1");
  EXPECT_EQ(check_sqlite(3'051'002).verdict, Verdict::note);
  EXPECT_EQ(check_sqlite(3'051'003).verdict, Verdict::good);
}

TEST_F(ChecksTest, a_clock_that_cannot_be_right_is_bad) {
  EXPECT_EQ(check_clock({0}).verdict, Verdict::bad);
  EXPECT_EQ(check_clock({1'796'025'600'000}).verdict, Verdict::good);
  EXPECT_EQ(check_clock({5'000'000'000'000}).verdict, Verdict::bad);
}

TEST_F(ChecksTest, a_master_key_must_be_there_and_private) {
  const auto beside = MasterKeyFile::Chosen::beside_store;
  const auto named = MasterKeyFile::Chosen::by_operator;
  const std::string key = file("key", "00", 0600);
  const std::string open_key = file("open", "00", 0640);
  const std::string missing = folder_.file("missing");
  EXPECT_EQ(check_master_key({key, beside}, true).verdict, Verdict::good);
  EXPECT_EQ(check_master_key({open_key, beside}, true).verdict, Verdict::bad);
  EXPECT_EQ(check_master_key({open_key, beside}, true).advice, "chmod 600 " + open_key);
  EXPECT_EQ(check_master_key({missing, beside}, false).verdict, Verdict::note);
  EXPECT_EQ(check_master_key({missing, beside}, true).verdict, Verdict::bad);
  EXPECT_EQ(check_master_key({missing, named}, false).verdict, Verdict::bad);
}

TEST_F(ChecksTest, a_store_that_is_none_is_bad_and_one_that_is_not_there_is_to_come) {
  EXPECT_EQ(check_store(folder_.file("missing.db")).verdict, Verdict::note);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("missing.db")));
  EXPECT_EQ(check_store(folder_.file("no folder/missing.db")).verdict, Verdict::bad);
  EXPECT_EQ(check_store(file("text.db", std::string(4096, 'x'), 0600)).verdict, Verdict::bad);
}

TEST_F(ChecksTest, opened_destinations_are_named) {
  EXPECT_EQ(check_egress({}).verdict, Verdict::good);
  const Finding finding = check_egress({*egress::parse_allowed_range("127.0.0.0/8:80,8000-9000")});
  EXPECT_EQ(finding.verdict, Verdict::note);
  EXPECT_EQ(finding.text, "public destinations and 127.0.0.0/8:80-80,8000-9000");
}

}  // namespace
}  // namespace semel::cli
