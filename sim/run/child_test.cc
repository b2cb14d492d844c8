// child_test.cc: what a child says arrives, and what it dies of is known.
#include "sim/run/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/check.h"

namespace semel::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Child, what_it_says_arrives_in_order_and_whole) {
  const std::string long_one(300'000, 'x');
  const Ended ended = in_a_child({.cpu = seconds(10)}, [&](Wire& wire) {
    wire.send("first");
    wire.send("");
    wire.send(long_one);
  });
  EXPECT_EQ(ended.said, (std::vector<std::string>{"first", "", long_one}));
  EXPECT_EQ(ended.death, std::nullopt);
}

TEST(Child, a_broken_invariant_is_named_and_what_was_said_before_is_kept) {
  const Ended ended = in_a_child({.cpu = seconds(10)}, [](Wire& wire) {
    wire.send("before");
    SEMEL_CHECK(1 + 1 == 3);
  });
  EXPECT_EQ(ended.said, std::vector<std::string>{"before"});
  ASSERT_TRUE(ended.death);
  EXPECT_TRUE(ended.death->starts_with("ended by SIGABRT: semel: broken invariant: 1 + 1 == 3 (")) << *ended.death;
}

TEST(Child, one_that_uses_more_cpu_than_allowed_is_ended) {
  const Ended ended = in_a_child({.cpu = milliseconds(30)}, [](Wire&) {
    for (volatile bool forever = true; forever;) {
    }
  });
  EXPECT_EQ(ended.death, "used too much CPU");
}

TEST(Child, one_that_is_to_stop_is_ended) {
  const ChildTerms terms{.cpu = seconds(10), .stopped = [] { return true; }};
  const Ended ended = in_a_child(terms, [](Wire&) {
    for (volatile bool forever = true; forever;) {
    }
  });
  EXPECT_EQ(ended.death, "ended by SIGKILL");
}

TEST(Child, a_code_other_than_0_is_a_death) {
  const Ended ended = in_a_child({.cpu = seconds(10)}, [](Wire&) {
    std::fprintf(stderr, "why\n");
    std::exit(3);
  });
  EXPECT_EQ(ended.death, "ended with code 3: why");
}

TEST(Child, what_stood_on_stderr_before_a_work_is_not_told_of_the_next) {
  const Ended ended = in_a_child({.cpu = seconds(10)}, [](Wire&) {
    std::fprintf(stderr, "of the first work\n");
    begin_of_work(seconds(10));
    std::fprintf(stderr, "of the second\n");
    std::abort();
  });
  EXPECT_EQ(ended.death, "ended by SIGABRT: of the second");
}

}  // namespace
}  // namespace semel::sim
