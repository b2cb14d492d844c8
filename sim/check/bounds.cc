// bounds.cc: nothing grows without end, and in the end nothing is left.
#include <fmt/core.h>

#include <map>
#include <string>

#include "sim/check/groups.h"

namespace semel::sim {
namespace {

// Parked events, log lines and connections stay within bounds.
class Bounded final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-BOUNDED"; }

  void submitted(const Submission& submission) override { causes_ += submission.events.size(); }
  void commit_asked(const store::WriteSet&, Fence) override { ++causes_; }
  void request_left(const WireRequest&, const KnownEndpoint*) override { ++causes_; }
  void request_arrived(const WireRequest&, const KnownEndpoint*) override { ++causes_; }
  void crashed(std::string_view) override { ++causes_; }

  void logged(std::string_view process, std::string_view line) override {
    if (line.size() > kLineMax) violated(fmt::format("{} writes a line of {} bytes", process, line.size()));
    std::uint64_t& bytes = log_bytes_[std::string(process)];
    bytes += line.size();
    if (bytes > kLogFree + kLogPerCause * causes_)
      violated(fmt::format("{} has written {} bytes of log about {} things that happened", process, bytes, causes_));
  }

  void inspected(const Inspection& inspection) override {
    for (const ReceiverState& state : inspection.receivers)
      if (state.parked_in_a_line_max > kParkedPerLine)
        violated(fmt::format("{} keeps {} parked events of one line", state.receiver, state.parked_in_a_line_max));
  }

  void connection_opened(std::size_t asked, std::size_t accepted) override {
    if (asked > kAsked) violated(fmt::format("the server has {} connections open to endpoints", asked));
    if (accepted > kAccepted) violated(fmt::format("the server has {} connections open to clients", accepted));
  }

 private:
  static constexpr std::uint64_t kParkedPerLine = 1'000;
  static constexpr std::size_t kAsked = 4'096 + 4'096;      // attempts under way, and idle ones
  static constexpr std::size_t kAccepted = 1'024 + 64 + 1;  // served, turned away, and about to be closed
  static constexpr std::size_t kLineMax = 4'096;
  static constexpr std::uint64_t kLogFree = 256 * 1024;
  static constexpr std::uint64_t kLogPerCause = 512;

  std::uint64_t causes_ = 0;
  std::map<std::string, std::uint64_t> log_bytes_;
};

// In the end the dispatcher holds nothing.
class Quiesce final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-QUIESCE"; }

  void inspected(const Inspection& inspection) override {
    if (inspection.when != Inspection::When::end) return;
    if (inspection.open_in_memory > 0 || inspection.in_flight_in_memory > 0)
      violated(fmt::format("the dispatcher ends with {} open and {} in flight", inspection.open_in_memory,
                           inspection.in_flight_in_memory));
  }
};

}  // namespace

void make_bound_checkers(Making& making) {
  making.add<Bounded>();
  making.add<Quiesce>();
}

}  // namespace semel::sim
