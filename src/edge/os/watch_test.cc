// watch_test.cc: readiness of real pipes, and silence after the end.
#include "edge/os/watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "edge/os/test_loop.h"

namespace semel {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void put() const { EXPECT_EQ(write(ends[1], "x", 1), 1); }
  int ends[2];
};

TEST(Watch, says_once_that_bytes_are_there_and_again_when_asked_again) {
  TestLoop t;
  const Pipe pipe;
  Watch watch(t.loop, pipe.ends[0]);
  int ready = 0;
  watch.wait(Watch::For::reading, [&] {
    ++ready;
    watch.wait(Watch::For::reading, [&] {
      ++ready;
      t.loop.stop();
    });
  });
  t.loop.post([&] { pipe.put(); });
  ASSERT_TRUE(t.run());
  EXPECT_EQ(ready, 2);
}

TEST(Watch, a_destroyed_watch_calls_nothing_and_leaves_the_descriptor_open) {
  TestLoop t;
  const Pipe pipe;
  bool called = false;
  std::optional<Watch> watch(std::in_place, t.loop, pipe.ends[0]);
  watch->wait(Watch::For::reading, [&] { called = true; });
  pipe.put();
  watch.reset();
  t.loop.start_timer(t.loop.now() + std::chrono::milliseconds(2), [&] { t.loop.stop(); });
  ASSERT_TRUE(t.run());
  EXPECT_FALSE(called);
  char byte = 0;
  EXPECT_EQ(read(pipe.ends[0], &byte, 1), 1);
}

TEST(Watch, waits_for_room_to_write) {
  TestLoop t;
  const Pipe pipe;
  Watch watch(t.loop, pipe.ends[1]);
  watch.wait(Watch::For::writing, [&] { t.loop.stop(); });
  EXPECT_TRUE(t.run());
}

}  // namespace
}  // namespace semel
