// waiting.h: the network's side of one process, and an operation of it that waits.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "port/cancel.h"
#include "port/co.h"
#include "port/net.h"
#include "sim/kernel/process.h"

namespace semel::sim {

// One incarnation of a process at its address. Connections and operations outlive it; when it is gone they do nothing
// for it any more.
struct Node {
  std::string name;
  IpAddress ip;
  Process* process;          // null: severed, or its Net is gone
  std::size_t asked = 0;     // connections with an open end here, which it asked for
  std::size_t accepted = 0;  // .. and which it has accepted

  bool is_up() const { return process && process->alive(); }
  void post(std::move_only_function<void()> f) const {
    if (process) process->post(std::move(f));
  }
};

// Completes once, by a turn of the process, unless it was dropped by then. Owned by a shared_ptr (by itself or as a
// part), which the turn and the cancel hold. May be begun again once it has completed.
template <class R>
class Waiting {
 public:
  // Called in the turn in which the operation completes, so that it tells what is true then.
  using ResultOf = std::move_only_function<R()>;

  explicit Waiting(R (*when_cancelled)()) : when_cancelled_(when_cancelled) {}

  // Whether nothing has decided yet how it ends.
  bool waits() const { return done_ && !result_of_; }

  static void begin(const std::shared_ptr<Waiting>& self, const std::shared_ptr<Node>& node, Cancel& cancel,
                    Done<R> done) {
    SEMEL_CHECK(!self->done_);
    self->node_ = node;
    self->done_ = std::move(done);
    self->cancel_ = &cancel;
    if (cancel.requested()) return complete(self, self->when_cancelled_);
    cancel.arm([self] { complete(self, self->when_cancelled_); });
  }

  static void complete(const std::shared_ptr<Waiting>& self, ResultOf result_of) {
    if (!self->waits() || !self->node_->is_up()) return;
    self->result_of_ = std::move(result_of);
    self->node_->post([self] { self->finish(); });
    self->cancel_->disarm();  // last: this may be running inside what is disarmed
  }

  // Who asked is gone.
  void drop() {
    done_ = nullptr;
    result_of_ = nullptr;
  }

 private:
  void finish() {
    if (!done_) return;
    Done<R> done = std::exchange(done_, nullptr);
    done(std::exchange(result_of_, nullptr)());
  }

  R (*when_cancelled_)();
  std::shared_ptr<Node> node_;
  Done<R> done_;
  Cancel* cancel_ = nullptr;
  ResultOf result_of_;
};

}  // namespace semel::sim
