// test_await.h: for tests: runs the loop until one operation has completed.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "edge/os/test_loop.h"
#include "port/co.h"

namespace semel {

// An operation that is under way; it may be looked at before it has completed.
template <class T>
class Pending {
 public:
  explicit Pending(TestLoop& loop) : loop_(loop) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  Done<T> done() {
    return [this](T result) {
      EXPECT_FALSE(result_.has_value()) << "completed twice";
      result_.emplace(std::move(result));
      if (waiting_) loop_.loop.stop();
    };
  }
  bool completed() const { return result_.has_value(); }
  T wait() {
    waiting_ = true;
    if (!result_) EXPECT_TRUE(loop_.run()) << "never completed";
    waiting_ = false;
    return std::move(result_).value();
  }

 private:
  TestLoop& loop_;
  std::optional<T> result_;
  bool waiting_ = false;
};

// Lets the loop do what is ready now and what becomes ready within a few milliseconds; for showing that nothing comes.
inline void let_pass(TestLoop& t, std::chrono::milliseconds time) {
  t.loop.start_timer(t.loop.now() + time, [&] { t.loop.stop(); });
  ASSERT_TRUE(t.run());
}

}  // namespace semel
