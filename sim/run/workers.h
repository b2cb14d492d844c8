// workers.h: jobs spread over forked processes, each of which does one after the other.
//
// On a crash: of a worker, the job it was at is answered with its death, and a new worker takes its place. A job that
//             uses more CPU than allowed, or gives no answer in ten times that, dies too.
// Threads:    one.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace semel::sim {

struct Answer {
  std::string said;
  std::optional<std::string> death;  // of the worker, instead
};

struct Job {
  std::string order;  // for the worker
  std::function<void(const Answer&)> then;
};

class Workers {
 public:
  using Work = std::function<std::string(const std::string& order)>;  // called in the worker
  using Next = std::function<std::optional<Job>()>;

  struct Limits {
    int workers = 1;
    std::chrono::milliseconds cpu = std::chrono::seconds(60);  // of one job
    std::function<bool()> stopped = [] { return false; };      // true: no further job is dealt out
  };
  Workers(Limits limits, Work work);
  ~Workers();

  // Deals out what `next` gives, until that gives nothing and every job is answered. Nullopt: nothing for now; it is
  // asked again after each answer.
  void run(const Next& next);

  // Lets the workers end, and returns what was wrong with those that did not end well.
  std::vector<std::string> end();

 private:
  struct Worker;
  void deal(const Next& next);
  void await_answers();
  std::chrono::milliseconds until_first_is_stuck() const;
  void take_answer(std::size_t worker);
  std::unique_ptr<Worker> start() const;

  Limits limits_;
  Work work_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace semel::sim
