// front.h: between HTTP and the inbox lane: gathers the requests that wait while the lane commits, commits them
// together, and answers each, unless a fault was asked for.
//
// Threads:    the loop's thread only; the receiver is touched on Lane::inbox only.
// On a crash: senders see their connections break and come again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/listen/fault_plan.h"
#include "cli/listen/receiver.h"
#include "port/clock.h"
#include "port/lanes.h"
#include "port/serve.h"

namespace semel::cli {

// Since this process started.
struct AnswerCounts {
  std::uint64_t requests = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t parked = 0;
  std::uint64_t later = 0;
  std::uint64_t refused = 0;  // not verified, or contradicting itself
  std::uint64_t unavailable = 0;
  std::uint64_t acks_dropped = 0;
  std::uint64_t failed = 0;  // on purpose
  std::uint64_t hung = 0;    // on purpose
};

struct Counts {
  ReceiverTotals totals;
  AnswerCounts answers;
};
std::string to_json(const Counts& counts);

class Front {
 public:
  // All must outlive the front, and the receiver the lanes too. `on_broken`: the receiver's file is lost, end now.
  Front(Clock& clock, Lanes& lanes, Receiver& receiver, Faults faults, std::move_only_function<void()> on_broken)
      : clock_(clock),
        lanes_(lanes),
        receiver_(receiver),
        faults_(std::move(faults)),
        on_broken_(std::move(on_broken)) {}
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  // Looks for parked events whose turn has come; once, before the first request.
  void start();

  // POST: a webhook, on any path. GET /counts: what became of them.
  Co<HttpResponse> handle(HttpRequest request);

  Co<Result<Counts>> counts();

 private:
  struct Waiting {
    HttpRequest request;  // the lane reads it, whatever becomes of the frame that waits
    Done<inbox::WireAnswer> done;
  };
  struct Batch;

  Co<HttpResponse> receive(HttpRequest request);
  Co<HttpResponse> show_counts();
  Co<inbox::WireAnswer> judge(HttpRequest request);
  void count(const inbox::WireAnswer& answer);
  void work();
  void commit_what_waits();
  void drain();

  Clock& clock_;
  Lanes& lanes_;
  Receiver& receiver_;
  Faults faults_;
  std::move_only_function<void()> on_broken_;
  std::vector<Waiting> waiting_;
  bool working_ = false;
  bool drain_wanted_ = false;
  bool drained_last_ = false;
  AnswerCounts answers_;
};

}  // namespace semel::cli
