// semel_server.h: `semel serve` and `semel listen` as processes that are killed and come back on the same port.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "support/api_client.h"
#include "support/process.h"

namespace semel::harness {

// Waits for the line `listening on http://127.0.0.1:PORT`; Fault::unavailable with the output when it does not come.
Result<std::uint16_t> listening_port(Process& process, milliseconds timeout);

std::string random_hex(std::size_t bytes);
std::string random_webhook_secret();  // whsec_..
std::string make_admin_key();         // ID.SECRET, as SEMEL_ADMIN_KEY takes it

struct ServerOptions {
  std::string program;
  std::filesystem::path folder;        // holds the store
  std::vector<std::string> arguments;  // beside store, listen and allow-destination
  std::vector<std::pair<std::string, std::string>> environment;
};

// Threads: api(), port() and admin_key() may be called beside a start() that is not the first.
class SemelServer {
 public:
  explicit SemelServer(ServerOptions options);

  Result<void> start();  // also after a kill: same store, same port, same key
  void kill();           // SIGKILL
  Result<Exit> stop();   // SIGTERM, at most 12 s

  // For the next start.
  void set_environment(std::vector<std::pair<std::string, std::string>> environment);

  bool running() { return process_ && process_->running(); }
  Process& process() { return *process_; }
  pid_t pid() const { return process_->pid(); }
  std::uint16_t port() const { return port_; }
  const std::string& admin_key() const { return admin_key_; }
  std::string database() const { return (options_.folder / "semel.db").string(); }
  ApiClient api() const { return ApiClient(port_, admin_key_); }
  Command command() const;  // what start() runs

 private:
  ServerOptions options_;
  std::string admin_key_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

struct ListenerOptions {
  std::string program;
  std::filesystem::path folder;                              // holds database, ledger and secret files
  std::vector<std::pair<std::string, std::string>> sources;  // name and secret
  std::vector<std::string> faults;                           // --drop-ack 0.2 and the like
  std::vector<std::pair<std::string, std::string>> environment;
};

class SemelListener {
 public:
  explicit SemelListener(ListenerOptions options);

  Result<void> start();
  void kill();
  Result<Exit> stop();

  void set_faults(std::vector<std::string> faults) { options_.faults = std::move(faults); }
  void set_environment(std::vector<std::pair<std::string, std::string>> environment);

  bool running() { return process_ && process_->running(); }
  Process& process() { return *process_; }
  std::uint16_t port() const { return port_; }
  std::string url() const;  // where events are posted to
  std::string database() const { return (options_.folder / "inbox.db").string(); }
  std::string ledger() const { return (options_.folder / "ledger.jsonl").string(); }

 private:
  ListenerOptions options_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace semel::harness
