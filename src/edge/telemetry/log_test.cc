// log_test.cc: the lines as they come out of a pipe, also one that nobody reads.
#include "edge/telemetry/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/json.h"

namespace semel {
namespace {

using testing::MatchesRegex;

const std::string kStamp = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z";

class Log : public testing::Test {
 protected:
  Log() { EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0); }
  ~Log() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  std::unique_ptr<Telemetry> make(LogOptions options) {
    options.descriptor = ends_[1];
    return make_log(options);
  }
  // The lines that are in the pipe now.
  std::vector<std::string> lines() {
    EXPECT_EQ(fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    std::string all;
    char bytes[4096];
    for (ssize_t size = 0; (size = read(ends_[0], bytes, sizeof bytes)) > 0;) {
      all.append(bytes, static_cast<std::size_t>(size));
    }
    std::vector<std::string> found;
    for (std::size_t begin = 0, end = 0; (end = all.find('\n', begin)) != all.npos; begin = end + 1) {
      found.push_back(all.substr(begin, end - begin));
    }
    return found;
  }
  int ends_[2];
};

TEST_F(Log, a_note_is_one_line_with_time_level_event_and_fields) {
  make({})->note(Level::info, "delivery.settled", {{"endpoint", "ep_1"}, {"attempt", "3"}});
  const auto seen = lines();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_THAT(seen[0], MatchesRegex(kStamp + " info delivery.settled endpoint=ep_1 attempt=3"));
}

TEST_F(Log, values_are_quoted_where_they_need_it_and_stay_on_their_line) {
  make({})->note(
      Level::warning, "e",
      {{"empty", ""}, {"words", "two words"}, {"quote", "a\"b"}, {"sign", "a=b"}, {"bad", "x\n\x1b[2J\xff"}});
  const auto seen = lines();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].substr(25), R"(warning e empty="" words="two words" quote="a\"b" sign="a=b" bad=x\x0a\x1b[2J\xff)");
}

TEST_F(Log, json_lines_are_strict_json_whatever_the_values) {
  make({.form = LogOptions::Form::json})->note(Level::error, "store.failed", {{"note", "a\"b\\\n\xff"}, {"n", "1"}});
  const auto seen = lines();
  ASSERT_EQ(seen.size(), 1u);
  const auto parsed = parse_json(seen[0]);
  ASSERT_TRUE(parsed) << seen[0];
  const JsonValue root = parsed->root();
  EXPECT_THAT(std::string(root.find("time")->text()), MatchesRegex(kStamp));
  EXPECT_EQ(root.find("level")->text(), "error");
  EXPECT_EQ(root.find("event")->text(), "store.failed");
  EXPECT_EQ(root.find("note")->text(), R"(a"b\\x0a\xff)");
  EXPECT_EQ(root.find("n")->text(), "1");
}

TEST_F(Log, notes_below_the_least_level_are_not_written) {
  const auto log = make({.least = Level::warning});
  log->note(Level::debug, "a", {});
  log->note(Level::info, "b", {});
  log->note(Level::warning, "c", {});
  log->note(Level::error, "d", {});
  const auto seen = lines();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].substr(25), "warning c");
  EXPECT_EQ(seen[1].substr(25), "error d");
}

TEST_F(Log, fields_over_the_length_of_one_write_are_left_out_and_the_line_says_so) {
  for (const auto form : {LogOptions::Form::text, LogOptions::Form::json}) {
    const std::string large(5000, 'v');
    make({.form = form})
        ->note(Level::info, "e", {{"a", large}, {"b", large}, {"c", large}, {"d", large}, {"e", large}});
    const auto seen = lines();
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_LE(seen[0].size(), 4095u);
    EXPECT_THAT(seen[0], testing::HasSubstr("cut"));
    if (form == LogOptions::Form::json) EXPECT_TRUE(parse_json(seen[0]));
  }
}

TEST_F(Log, a_full_pipe_drops_lines_without_waiting_and_the_next_reader_learns_how_many) {
  const auto log = make({});
  const std::string filler(900, 'f');
  for (int i = 0; i < 200; ++i) log->note(Level::info, "filler", {{"n", std::to_string(i)}, {"f", filler}});
  const std::size_t written = lines().size();
  ASSERT_GT(written, 10u);
  ASSERT_LT(written, 200u);
  log->note(Level::info, "after", {});
  log->note(Level::info, "later", {});
  const auto seen = lines();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].substr(25), "warning log.dropped count=" + std::to_string(200 - written));
  EXPECT_EQ(seen[1].substr(25), "info after");
  EXPECT_EQ(seen[2].substr(25), "info later");
}

}  // namespace
}  // namespace semel
