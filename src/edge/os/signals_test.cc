// signals_test.cc: signals of the wish to end reach the loop; broken pipes do not kill.
#include "edge/os/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "edge/os/test_loop.h"

namespace semel {
namespace {

TEST(StopSignals, each_of_sigterm_and_sigint_reaches_the_loop) {
  TestLoop t;
  std::vector<int> seen;
  const StopSignals signals(t.loop, [&](int signal) {
    seen.push_back(signal);
    if (seen.size() == 1) raise(SIGINT);
    if (seen.size() == 2) raise(SIGTERM);
    if (seen.size() == 3) t.loop.stop();
  });
  raise(SIGTERM);
  ASSERT_TRUE(t.run());
  EXPECT_EQ(seen, (std::vector{SIGTERM, SIGINT, SIGTERM}));
}

TEST(WriteSignals, a_write_to_a_broken_pipe_is_an_error_and_not_the_end) {
  ignore_write_signals();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
  struct sigaction action{};
  ASSERT_EQ(sigaction(SIGXFSZ, nullptr, &action), 0);
  EXPECT_EQ(action.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace semel
