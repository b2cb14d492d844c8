// scripted_receiver.h: an HTTP receiver on a thread that answers what a test tells it, byte for byte.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/time.h"

namespace semel::tests {

struct Received {
  std::string head;
  std::string body;
  std::chrono::steady_clock::time_point at;
  std::string header(std::string_view lower_case_name) const;
};

// What is sent back for the n-th request (from 1); nullopt: nothing, the connection stays open.
using Script = std::function<std::optional<std::string>(const Received& request, std::size_t nth)>;

// A complete answer with these header lines ("name: value\r\n").
std::string answer(int status, std::string_view header_lines = {}, std::string_view body = {});

class ScriptedReceiver {
 public:
  explicit ScriptedReceiver(Script script);
  ~ScriptedReceiver();
  ScriptedReceiver(const ScriptedReceiver&) = delete;
  ScriptedReceiver& operator=(const ScriptedReceiver&) = delete;

  std::string url() const;
  void set_script(Script script);
  // Waits until `count` requests have come; false when they did not come in time.
  bool wait_for(std::size_t count, milliseconds timeout = milliseconds(15'000));
  std::vector<Received> received() const;

 private:
  void serve();
  std::optional<std::string> take(Received request);

  int listener_;
  int stop_;
  std::uint16_t port_;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  Script script_;
  std::vector<Received> received_;
  std::thread thread_;
};

}  // namespace semel::tests
