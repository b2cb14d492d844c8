// watch.h: waits until a descriptor can be read or written, for those that do the system calls themselves.
//
// The descriptor is borrowed: it must be one that epoll takes, and stay open until the Watch is destroyed. A destroyed
// Watch calls nothing. Threads: the loop's thread only.
#pragma once

#include <memory>

#include "edge/os/loop.h"
#include "port/co.h"

namespace semel {

class Watch {
 public:
  enum class For { reading, writing };

  Watch(Loop& loop, int fd);
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) = delete;
  ~Watch();

  // Calls `done` on the loop once the descriptor is ready for that, or has an error. One wait of each kind at a time.
  void wait(For what, Done<> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace semel
