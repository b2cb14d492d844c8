// process.h: a child process that is watched, killed and never outlives its parent.
//
// Contract:   the child runs in its own process group and gets SIGKILL when the thread that started it ends
//             (PR_SET_PDEATHSIG): start children on a thread that lives as long as they shall.
//             Standard output and standard error arrive as one stream of lines.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace semel::harness {

struct Command {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // beside what this process has
  std::optional<std::string> input;                              // standard input; none: empty
};

struct Exit {
  int code;    // as a shell shows it: 128 + signal when a signal ended it
  int signal;  // 0 when it ended by itself
};

class Process {
 public:
  static Result<std::unique_ptr<Process>> start(const Command& command);
  ~Process();  // kills it when it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool running();
  void send_signal(int signal);
  void kill();  // SIGKILL, and waits for the end

  // nullopt: it still runs when `timeout` has passed.
  std::optional<Exit> wait(milliseconds timeout);

  // The first line that contains `text`, of those so far and those to come; nullopt at the end of the output or when
  // `timeout` has passed.
  std::optional<std::string> wait_line(std::string_view text, milliseconds timeout);

  std::string output() const;  // so far, at most the last 10,000 lines

 private:
  struct Output;
  Process(pid_t pid, int pidfd, std::unique_ptr<Output> output);
  pid_t pid_;
  int pidfd_;
  std::optional<Exit> exit_;
  std::unique_ptr<Output> output_;
};

// Runs it to its end; Fault::timed_out (and killed) when that takes longer than `timeout`.
struct Finished {
  Exit exit;
  std::string output;
};
Result<Finished> run(const Command& command, milliseconds timeout);

}  // namespace semel::harness
