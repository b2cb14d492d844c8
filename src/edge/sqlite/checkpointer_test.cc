#include "edge/sqlite/checkpointer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "edge/sqlite/test_store.h"

namespace semel::sqlite {
namespace {

// A writer whose every commit is reported, with a log that may hold 64 frames.
class CheckpointerTest : public testing::Test {
 protected:
  TempFolder folder_;
  std::unique_ptr<Connection> writer_ = Connection::open({.path = folder_.file("f.db"), .vfs = {}}).value();
  std::unique_ptr<Connection> beside_ = Connection::open({.path = folder_.file("f.db"), .vfs = {}}).value();
  std::optional<Checkpointer> checkpointer_;
  int frames_ = 0;

  void SetUp() override {
    ASSERT_TRUE(writer_->use_log() && writer_->execute("CREATE TABLE t (x)"));
    writer_->on_commit([this](int frames) { frames_ = frames; });
    checkpointer_.emplace(*beside_, *writer_, CheckpointLimits{.log_bytes_max = 64 * (4096 + 24)}, 4096);
  }
  Checkpointer::Next commit() {
    checkpointer_->commit_began();
    EXPECT_TRUE(writer_->execute("INSERT INTO t VALUES (1)"));
    return checkpointer_->commit_returned(frames_).value();
  }
};

TEST_F(CheckpointerTest, a_log_over_its_cap_begins_anew_without_help_from_the_other_lane) {
  int largest = 0;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(commit(), Checkpointer::Next::nothing);
    largest = std::max(largest, frames_);
  }
  EXPECT_LE(largest, 64);
  EXPECT_GE(largest, 63);
}

TEST_F(CheckpointerTest, a_commit_that_wrote_nothing_starts_nothing) {
  for (int i = 0; i < 30; ++i) ASSERT_EQ(commit(), Checkpointer::Next::nothing);
  checkpointer_->commit_began();
  EXPECT_EQ(checkpointer_->commit_returned(std::nullopt).value(), Checkpointer::Next::nothing);
}

TEST(CheckpointerBeside, starts_once_when_the_log_has_grown_and_not_again_before_it_returned) {
  TempFolder folder;
  auto writer = Connection::open({.path = folder.file("f.db"), .vfs = {}}).value();
  ASSERT_TRUE(writer->use_log() && writer->execute("CREATE TABLE t (x)"));
  auto beside = Connection::open({.path = folder.file("f.db"), .vfs = {}}).value();
  Checkpointer checkpointer(*beside, *writer, {.log_bytes_max = 1u << 30}, 4096);
  const auto committed_with = [&](int frames) {
    checkpointer.commit_began();
    return checkpointer.commit_returned(frames).value();
  };
  EXPECT_EQ(committed_with(kStartFrames - 1), Checkpointer::Next::nothing);
  EXPECT_EQ(committed_with(kStartFrames), Checkpointer::Next::start_beside);
  EXPECT_EQ(committed_with(kStartFrames + 1), Checkpointer::Next::nothing);  // it is running
  ASSERT_TRUE(checkpointer.run_beside());                                    // copies everything
  EXPECT_EQ(committed_with(3), Checkpointer::Next::nothing);                 // the log began anew
  EXPECT_EQ(committed_with(kStartFrames + 3), Checkpointer::Next::start_beside);
}

TEST(CheckpointerBeside, starts_at_the_growth_it_was_given) {
  TempFolder folder;
  auto writer = Connection::open({.path = folder.file("f.db"), .vfs = {}}).value();
  ASSERT_TRUE(writer->use_log());
  auto beside = Connection::open({.path = folder.file("f.db"), .vfs = {}}).value();
  Checkpointer checkpointer(*beside, *writer, {.log_bytes_max = 1u << 30, .start_frames = 10}, 4096);
  checkpointer.commit_began();
  EXPECT_EQ(checkpointer.commit_returned(9).value(), Checkpointer::Next::nothing);
  checkpointer.commit_began();
  EXPECT_EQ(checkpointer.commit_returned(10).value(), Checkpointer::Next::start_beside);
}

}  // namespace
}  // namespace semel::sqlite
