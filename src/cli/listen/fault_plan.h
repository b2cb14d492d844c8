// fault_plan.h: what `semel listen` does wrong on request, and when chance says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace semel::cli {

struct FaultPlan {
  struct Failure {
    int status;
    double probability;
  };
  std::vector<Failure> failures;     // answered before the inbox is touched
  double hang = 0;                   // never answered; before the commit or after it, each as often
  double drop_ack = 0;               // the connection is cut after the commit
  std::uint64_t drop_ack_first = 0;  // and so are the first so many
  milliseconds delay{0};             // before each request is looked at
};

Result<FaultPlan::Failure> parse_failure(std::string_view text);  // STATUS:P, status 200 to 599
Result<double> parse_probability(std::string_view text);          // 0 to 1
Result<milliseconds> parse_delay(std::string_view text);          // 50ms, 2s

// The fate of one request.
struct Fate {
  enum class Hang { no, before_commit, after_commit };
  std::optional<int> fail_with;
  Hang hang = Hang::no;
};

class Faults {
 public:
  Faults(FaultPlan plan, std::uint64_t seed) : plan_(std::move(plan)), random_(seed) {}

  milliseconds delay() const { return plan_.delay; }
  Fate draw();
  bool drops_ack();  // asked once the commit is done

 private:
  bool happens(double probability);

  FaultPlan plan_;
  SeededRandom random_;
  std::uint64_t dropped_ = 0;
};

}  // namespace semel::cli
