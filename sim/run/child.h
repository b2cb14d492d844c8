// child.h: a forked copy of this process that does some work, may die of it, and what it died of.
//
// A world is run in a process of its own because some of what it uses is global to a process (SQLite's randomness) and
// because a broken invariant ends the process.
// On a crash: of the parent, the kernel ends its children; SIGINT is left to the parent.
// Threads:    the parent has one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace semel::sim {

// One end of a connection between parent and child: whole messages.
class Wire {
 public:
  explicit Wire(int fd) : fd_(fd) {}
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&&) = delete;
  ~Wire();

  bool send(std::string_view message);   // false: nobody reads any more
  std::optional<std::string> receive();  // waits; nullopt: nobody will write any more
  void finish();                         // nothing more will be sent
  int fd() const { return fd_; }

 private:
  int fd_;
};

class Child {
 public:
  // Runs `f` in the child; it ends when `f` returns.
  explicit Child(const std::function<void(Wire&)>& f);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();  // ends it if it lives

  Wire& wire() { return wire_; }
  // Waits until it has ended. Nullopt: by itself and well; else the signal or code, and what stood on its stderr.
  std::optional<std::string> wait();
  void kill();

 private:
  struct Forked {
    Wire wire;
    pid_t pid;
    int errors;
  };
  explicit Child(Forked forked);
  static Forked fork_and_run(const std::function<void(Wire&)>& f);

  Wire wire_;
  pid_t pid_;   // 0: ended
  int errors_;  // the file that is its stderr
};

// For the child itself: it dies when it has used so much more CPU from now on, and what stood on its stderr is gone.
void begin_of_work(std::chrono::milliseconds cpu);

// What `f` said in a child of its own, and what that died of, if it did.
struct Ended {
  std::vector<std::string> said;
  std::optional<std::string> death;
};
struct ChildTerms {
  std::chrono::milliseconds cpu;
  std::function<bool()> stopped = [] { return false; };  // true: it is killed, within a fifth of a second
};
Ended in_a_child(const ChildTerms& terms, const std::function<void(Wire&)>& f);

}  // namespace semel::sim
