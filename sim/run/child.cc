// child.cc: fork, a socket, a file in memory for stderr, and a timer on the CPU.
#include "sim/run/child.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace semel::sim {
namespace {

constexpr std::size_t kErrorsMax = 4'000;  // bytes of stderr that are shown

bool write_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::send(fd, bytes, size, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int fd, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::recv(fd, bytes, size, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) return "used too much CPU";
  if (WIFSIGNALED(status)) return fmt::format("ended by SIG{}", sigabbrev_np(WTERMSIG(status)));
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

std::string errors_in(int file) {
  std::string text(kErrorsMax, '\0');
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Wire::Wire(Wire&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
Wire::~Wire() {
  if (fd_ >= 0) close(fd_);
}

bool Wire::send(std::string_view message) {
  const std::uint64_t size = message.size();
  char head[sizeof size];
  std::memcpy(head, &size, sizeof size);
  return write_all(fd_, head, sizeof head) && write_all(fd_, message.data(), message.size());
}

std::optional<std::string> Wire::receive() {
  std::uint64_t size = 0;
  char head[sizeof size];
  if (!read_all(fd_, head, sizeof head)) return std::nullopt;
  std::memcpy(&size, head, sizeof size);
  std::string message(size, '\0');
  if (!read_all(fd_, message.data(), message.size())) return std::nullopt;
  return message;
}

// Also where a later child holds a copy of this end.
void Wire::finish() { shutdown(fd_, SHUT_WR); }

Child::Forked Child::fork_and_run(const std::function<void(Wire&)>& f) {
  int ends[2];
  SEMEL_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const int errors = memfd_create("stderr", 0);
  SEMEL_CHECK(errors >= 0);
  std::fflush(nullptr);  // else both would write what waits there
  const pid_t parent = getpid();
  const pid_t pid = fork();
  SEMEL_CHECK(pid >= 0);
  if (pid > 0) {
    close(ends[1]);
    return {Wire(ends[0]), pid, errors};
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::exit(0);
  signal(SIGINT, SIG_IGN);
  dup2(errors, STDERR_FILENO);
  close(errors);
  close(ends[0]);
  {
    Wire wire(ends[1]);
    f(wire);
  }
  std::exit(0);  // with its static objects: they have files to remove
}

Child::Child(const std::function<void(Wire&)>& f) : Child(fork_and_run(f)) {}
Child::Child(Forked forked) : wire_(std::move(forked.wire)), pid_(forked.pid), errors_(forked.errors) {}
Child::Child(Child&& other) noexcept
    : wire_(std::move(other.wire_)), pid_(std::exchange(other.pid_, 0)), errors_(std::exchange(other.errors_, -1)) {}

Child::~Child() {
  if (pid_ > 0) {
    kill();
    wait();
  }
  if (errors_ >= 0) close(errors_);
}

std::optional<std::string> Child::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  const std::string errors = errors_in(errors_);
  return errors.empty() ? how_it_ended(status) : fmt::format("{}: {}", how_it_ended(status), errors);
}

void Child::kill() { ::kill(pid_, SIGKILL); }

void begin_of_work(std::chrono::milliseconds cpu) {
  const itimerval limit{.it_interval = {},
                        .it_value = {.tv_sec = cpu.count() / 1'000, .tv_usec = cpu.count() % 1'000 * 1'000}};
  SEMEL_CHECK(setitimer(ITIMER_PROF, &limit, nullptr) == 0);
  std::fflush(stderr);
  if (lseek(STDERR_FILENO, 0, SEEK_SET) == 0) SEMEL_CHECK(ftruncate(STDERR_FILENO, 0) == 0);
}

Ended in_a_child(const ChildTerms& terms, const std::function<void(Wire&)>& f) {
  constexpr int kLookEachMs = 200;
  Child child([&](Wire& wire) {
    begin_of_work(terms.cpu);
    f(wire);
  });
  Ended ended;
  while (true) {
    pollfd wire{.fd = child.wire().fd(), .events = POLLIN, .revents = 0};
    const bool waits = poll(&wire, 1, kLookEachMs) <= 0;
    if (terms.stopped()) child.kill();
    if (waits) continue;
    std::optional<std::string> said = child.wire().receive();
    if (!said) break;
    ended.said.push_back(*std::move(said));
  }
  ended.death = child.wait();
  return ended;
}

}  // namespace semel::sim
