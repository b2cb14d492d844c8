// files_test.cc: whole files on a real file system.
#include "edge/os/files.h"
#include "base/testing/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace semel {
namespace {

class Files : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), std::filesystem::directory_iterator{});
  }

  TempFolder folder_;
};

TEST_F(Files, what_was_written_is_read_back_with_its_mode_and_nothing_else_stays_in_the_folder) {
  ASSERT_TRUE(write_file_atomically(path("key"), std::string("a\0b", 3), 0600));
  EXPECT_EQ(read_small_file(path("key"), 100).value(), std::string("a\0b", 3));
  struct stat status{};
  ASSERT_EQ(stat(path("key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, writing_replaces_the_old_file_as_a_whole) {
  ASSERT_TRUE(write_file_atomically(path("f"), "a long old text", 0644));
  ASSERT_TRUE(write_file_atomically(path("f"), "new", 0644));
  EXPECT_EQ(read_small_file(path("f"), 100).value(), "new");
}

TEST_F(Files, a_failed_write_leaves_no_trace) {
  std::filesystem::create_directories(path("taken/inside"));
  const auto result = write_file_atomically(path("taken"), "x", 0644);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::unavailable);
  EXPECT_EQ(entries(), 1);
  EXPECT_EQ(write_file_atomically(path("no-folder/f"), "x", 0644).error().fault, Fault::unavailable);
}

TEST_F(Files, reading_takes_a_file_of_exactly_the_cap_and_refuses_one_byte_more) {
  ASSERT_TRUE(write_file_atomically(path("f"), "12345", 0644));
  EXPECT_EQ(read_small_file(path("f"), 5).value(), "12345");
  EXPECT_EQ(read_small_file(path("f"), 4).error().fault, Fault::invalid);
}

TEST_F(Files, what_is_not_a_readable_regular_file_is_named) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_small_file(path("absent"), 10).error().fault, Fault::not_found);
  EXPECT_EQ(read_small_file(path("absent/f"), 10).error().fault, Fault::not_found);
  EXPECT_EQ(read_small_file(folder_.path(), 10).error().fault, Fault::invalid);
  EXPECT_EQ(read_small_file(path("pipe"), 10).error().fault, Fault::invalid);
}

}  // namespace
}  // namespace semel
