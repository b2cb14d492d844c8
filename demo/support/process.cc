// process.cc: fork, exec, a pidfd to wait on and a thread that drains the pipe.
#include "support/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 declares pidfd_open without C linkage for C++
}

#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "base/check.h"

namespace semel::harness {
namespace {

constexpr std::size_t kLinesMax = 10'000;

// Only what is allowed between fork and exec.
[[noreturn]] void become(const std::vector<char*>& argv, const std::vector<char*>& envp, int input, int output,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvpe(argv[0], argv.data(), envp.data());
  constexpr std::string_view message = "cannot be executed\n";
  if (write(STDERR_FILENO, message.data(), message.size()) < 0) _exit(126);
  _exit(127);
}

// Variables of this process, with those of `added` in place of older ones of the same name.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [new_name, value] : added) replaced = replaced || new_name == name;
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Standard input: a file without a name that holds `text`.
int input_of(const std::optional<std::string>& text) {
  if (!text) return open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int fd = memfd_create("input", MFD_CLOEXEC);
  SEMEL_CHECK(fd >= 0 && write(fd, text->data(), text->size()) == static_cast<ssize_t>(text->size()));
  SEMEL_CHECK(lseek(fd, 0, SEEK_SET) == 0);
  return fd;
}

}  // namespace

struct Process::Output {
  int fd;
  std::mutex mutex;
  std::condition_variable more;
  std::deque<std::string> lines;
  std::string partial;
  bool ended = false;
  std::thread reader;

  void read_all() {
    char buffer[8192];
    for (;;) {
      const ssize_t count = read(fd, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      const std::lock_guard lock(mutex);
      if (count <= 0) break;
      take({buffer, static_cast<std::size_t>(count)});
      more.notify_all();
    }
    const std::lock_guard lock(mutex);
    if (!partial.empty()) lines.push_back(std::move(partial));
    ended = true;
    more.notify_all();
  }

  void take(std::string_view bytes) {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      lines.push_back(partial + std::string(bytes.substr(0, end)));
      partial.clear();
      if (lines.size() > kLinesMax) lines.pop_front();
      bytes.remove_prefix(end + 1);
    }
    partial += bytes;
  }
};

Result<std::unique_ptr<Process>> Process::start(const Command& command) {
  std::vector<std::string> arguments{command.program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = environment_with(command.environment);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  int pipe_ends[2];
  SEMEL_CHECK(pipe2(pipe_ends, O_CLOEXEC) == 0);
  const int input = input_of(command.input);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(argv, envp, input, pipe_ends[1], parent);
  close(input);
  close(pipe_ends[1]);
  if (pid < 0) {
    close(pipe_ends[0]);
    return fail(Fault::unavailable, fmt::format("fork: {}", std::strerror(errno)));
  }
  auto output = std::make_unique<Output>();
  output->fd = pipe_ends[0];
  output->reader = std::thread([raw = output.get()] { raw->read_all(); });
  return std::unique_ptr<Process>(new Process(pid, pidfd_open(pid, 0), std::move(output)));
}

Process::Process(pid_t pid, int pidfd, std::unique_ptr<Output> output)
    : pid_(pid), pidfd_(pidfd), output_(std::move(output)) {
  SEMEL_CHECK(pidfd_ >= 0);
}

Process::~Process() {
  kill();
  output_->reader.join();
  close(output_->fd);
  close(pidfd_);
}

bool Process::running() { return !wait(milliseconds(0)); }

void Process::send_signal(int signal) {
  if (!exit_) ::kill(pid_, signal);
}

void Process::kill() {
  send_signal(SIGKILL);
  while (!wait(milliseconds(1000))) {
  }
}

std::optional<Exit> Process::wait(milliseconds timeout) {
  if (exit_) return exit_;
  pollfd ended{.fd = pidfd_, .events = POLLIN, .revents = 0};
  if (poll(&ended, 1, static_cast<int>(timeout.count())) <= 0) return std::nullopt;
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return std::nullopt;
  exit_ = WIFSIGNALED(status) ? Exit{128 + WTERMSIG(status), WTERMSIG(status)} : Exit{WEXITSTATUS(status), 0};
  return exit_;
}

std::optional<std::string> Process::wait_line(std::string_view text, milliseconds timeout) {
  std::unique_lock lock(output_->mutex);
  std::optional<std::string> found;
  output_->more.wait_for(lock, timeout, [&] {
    for (const std::string& line : output_->lines)
      if (line.contains(text)) found = line;
    return found || output_->ended;
  });
  return found;
}

std::string Process::output() const {
  const std::lock_guard lock(output_->mutex);
  std::string all;
  for (const std::string& line : output_->lines) all += line + "\n";
  return all + output_->partial;
}

Result<Finished> run(const Command& command, milliseconds timeout) {
  SEMEL_TRY(process, Process::start(command));
  const std::optional<Exit> exit = process->wait(timeout);
  if (!exit)
    return fail(Fault::timed_out,
                fmt::format("{} still runs after {} ms\n{}", command.program, timeout.count(), process->output()));
  process->wait_line("\x01 never", milliseconds(1000));  // until the end of the output
  return Finished{*exit, process->output()};
}

}  // namespace semel::harness
