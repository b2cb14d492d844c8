// workers_test.cc: every job is answered, whatever becomes of the workers.
#include "sim/run/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace semel::sim {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::StartsWith;

// Gives `orders` one after the other and notes each answer.
class Table {
 public:
  explicit Table(std::vector<std::string> orders) : orders_(std::move(orders)) {}

  std::optional<Job> next() {
    if (given_ == orders_.size()) return std::nullopt;
    const std::string order = orders_[given_++];
    return Job{.order = order, .then = [this, order](const Answer& answer) { answers[order] = answer; }};
  }
  std::map<std::string, Answer> answers;

 private:
  std::vector<std::string> orders_;
  std::size_t given_ = 0;
};

void run(Workers& workers, Table& table) {
  workers.run([&] { return table.next(); });
}

TEST(Workers, every_job_is_answered_once_and_by_as_many_processes_as_asked_for) {
  Workers workers({.workers = 3}, [](const std::string&) { return std::to_string(getpid()); });
  std::vector<std::string> orders;
  for (int i = 0; i < 60; ++i) orders.push_back(std::to_string(i));
  Table table(orders);
  run(workers, table);
  EXPECT_EQ(table.answers.size(), 60u);
  std::set<std::string> processes;
  for (const auto& [order, answer] : table.answers) processes.insert(answer.said);
  EXPECT_EQ(processes.size(), 3u);
  EXPECT_FALSE(processes.contains(std::to_string(getpid())));
  EXPECT_THAT(workers.end(), ElementsAre());
}

TEST(Workers, the_death_of_one_is_the_answer_to_its_job_and_the_others_are_done) {
  Workers workers({.workers = 2}, [](const std::string& order) {
    if (order == "bad") {
      std::fprintf(stderr, "cannot bear it\n");
      std::abort();
    }
    return "done " + order;
  });
  Table table({"a", "bad", "b", "c", "d"});
  run(workers, table);
  EXPECT_EQ(table.answers.at("bad").death, "ended by SIGABRT: cannot bear it");
  for (const std::string order : {"a", "b", "c", "d"}) EXPECT_EQ(table.answers.at(order).said, "done " + order);
  EXPECT_THAT(workers.end(), ElementsAre());
}

TEST(Workers, one_that_waits_for_ever_is_ended) {
  Workers workers({.workers = 1, .cpu = milliseconds(20)}, [](const std::string& order) {
    while (order == "waits") pause();
    return order;
  });
  Table table({"waits", "works"});
  run(workers, table);
  EXPECT_EQ(table.answers.at("waits").death, "ended by SIGKILL");
  EXPECT_EQ(table.answers.at("works").said, "works");
}

TEST(Workers, when_nothing_is_there_for_now_it_is_asked_for_again_after_an_answer) {
  Workers workers({.workers = 2}, [](const std::string& order) { return order; });
  std::vector<std::string> said;
  bool first_is_answered = false;
  workers.run([&]() -> std::optional<Job> {
    if (said.size() == 2 || (said.size() == 1 && !first_is_answered)) return std::nullopt;
    const std::string order = said.empty() ? "first" : "second";
    said.push_back(order);
    return Job{.order = order, .then = [&](const Answer&) { first_is_answered = true; }};
  });
  EXPECT_THAT(said, ElementsAre("first", "second"));
}

TEST(Workers, once_stopped_they_finish_what_they_are_at_and_are_given_nothing_more) {
  bool stopped = false;
  Workers workers({.workers = 1, .stopped = [&] { return stopped; }}, [](const std::string& order) { return order; });
  int answered = 0;
  workers.run([&] { return Job{.order = "again", .then = [&](const Answer&) { stopped = ++answered == 3; }}; });
  EXPECT_EQ(answered, 3);
}

TEST(Workers, one_that_does_not_end_well_is_named) {
  Workers workers({.workers = 1}, [](const std::string& order) {
    std::atexit([] {
      std::fprintf(stderr, "something is left\n");
      _exit(23);
    });
    return order;
  });
  Table table({"a"});
  run(workers, table);
  EXPECT_THAT(workers.end(), ElementsAre(StartsWith("ended with code 23: something is left")));
}

}  // namespace
}  // namespace semel::sim
