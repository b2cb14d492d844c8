// semel_server.cc: command lines of the two programs, and their ports.
#include "support/semel_server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <charconv>
#include <csignal>
#include <fstream>

#include "base/bytes.h"
#include "base/check.h"

namespace semel::harness {
namespace {

constexpr milliseconds kStartMax{20'000};
constexpr milliseconds kStopMax{12'000};

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  SEMEL_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(count));
  return bytes;
}

Result<Exit> stop_process(Process& process) {
  process.send_signal(SIGTERM);
  if (const std::optional<Exit> exit = process.wait(kStopMax)) return *exit;
  process.kill();
  return fail(Fault::timed_out, fmt::format("no end within {} ms of SIGTERM\n{}", kStopMax.count(), process.output()));
}

}  // namespace

std::string random_hex(std::size_t bytes) { return to_hex(random_bytes(bytes)); }

// key_ + 32 hexadecimal digits, a dot, 43 characters of base64url.
std::string make_admin_key() {
  std::string secret = to_base64(random_bytes(32)).substr(0, 43);
  for (char& c : secret) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return "key_" + random_hex(16) + "." + secret;
}

std::string random_webhook_secret() { return "whsec_" + to_base64(random_bytes(32)); }

Result<std::uint16_t> listening_port(Process& process, milliseconds timeout) {
  constexpr std::string_view mark = "listening on http://127.0.0.1:";
  const std::optional<std::string> line = process.wait_line(mark, timeout);
  if (!line) return fail(Fault::unavailable, fmt::format("it never said that it listens:\n{}", process.output()));
  const char* digits = line->data() + line->find(mark) + mark.size();
  std::uint16_t port = 0;
  std::from_chars(digits, line->data() + line->size(), port);
  if (port == 0) return fail(Fault::corrupt, *line);
  return port;
}

SemelServer::SemelServer(ServerOptions options) : options_(std::move(options)), admin_key_(make_admin_key()) {}

Command SemelServer::command() const {
  Command command{.program = options_.program,
                  .arguments = {"serve", "--store", "sqlite:" + database(), "--listen",
                                fmt::format("127.0.0.1:{}", port_), "--allow-destination", "127.0.0.0/8:1-65535"},
                  .environment = options_.environment,
                  .input = {}};
  command.arguments.insert(command.arguments.end(), options_.arguments.begin(), options_.arguments.end());
  command.environment.emplace_back("SEMEL_ADMIN_KEY", admin_key_);
  return command;
}

Result<void> SemelServer::start() {
  SEMEL_TRY(process, Process::start(command()));
  SEMEL_TRY(port, listening_port(*process, kStartMax));
  process_ = std::move(process);
  if (port_ == 0) port_ = port;  // later starts ask for it again; other threads read it meanwhile
  SEMEL_CHECK(port_ == port);
  return {};
}

void SemelServer::kill() {
  if (process_) process_->kill();
}

Result<Exit> SemelServer::stop() { return stop_process(*process_); }

void SemelServer::set_environment(std::vector<std::pair<std::string, std::string>> environment) {
  options_.environment = std::move(environment);
}

SemelListener::SemelListener(ListenerOptions options) : options_(std::move(options)) {}

std::string SemelListener::url() const { return fmt::format("http://127.0.0.1:{}/", port_); }

Result<void> SemelListener::start() {
  Command command{.program = options_.program,
                  .arguments = {"listen", "--db", database(), "--consumer", "shop", "--listen",
                                fmt::format("127.0.0.1:{}", port_), "--ledger", ledger()},
                  .environment = options_.environment,
                  .input = {}};
  for (const auto& [name, secret] : options_.sources) {
    const std::string file = (options_.folder / (name + ".secret")).string();
    std::ofstream(file) << secret << "\n";
    command.arguments.insert(command.arguments.end(), {"--source", name + "=" + file});
  }
  command.arguments.insert(command.arguments.end(), options_.faults.begin(), options_.faults.end());
  SEMEL_TRY(process, Process::start(command));
  SEMEL_TRY(port, listening_port(*process, kStartMax));
  process_ = std::move(process);
  port_ = port;
  return {};
}

void SemelListener::kill() {
  if (process_) process_->kill();
}

Result<Exit> SemelListener::stop() { return stop_process(*process_); }

void SemelListener::set_environment(std::vector<std::pair<std::string, std::string>> environment) {
  options_.environment = std::move(environment);
}

}  // namespace semel::harness
