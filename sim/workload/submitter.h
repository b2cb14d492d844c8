// submitter.h: a producer that takes no answer for no answer: it asks again, with the same key, until it knows.
#pragma once

#include <string>

#include "sim/check/history.h"
#include "sim/workload/stage.h"

namespace semel::sim {

class Submitter {
 public:
  Submitter(Stage& stage, std::string name, std::uint32_t number, Draw draw)
      : stage_(stage), host_(stage.ground, std::move(name), number), draw_(draw) {}

  const std::string& name() const { return host_.process.name(); }
  ClientHost& host() { return host_; }
  Draw& draw() { return draw_; }

  // Until every event of it is accepted. Anything but an acceptance or a reason to come again is a violation.
  Co<void> submit(Submission submission);
  // Asks with a key that was used for other content, until there is an answer.
  Co<void> submit_conflicting(Submission submission);

  Submission new_submission();
  MadeEvent new_event(std::string type, std::optional<std::string> key, std::uint64_t index, std::int64_t amount);

  void number_by_producer(const std::string& key) { numbered_keys_.push_back(key); }

 private:
  std::string event_json(const MadeEvent& event) const;
  std::string body_of(const Submission& submission) const;
  SubmissionAnswer read(const Submission& submission, const http::SimpleAnswer& answer) const;
  Co<std::optional<http::SimpleAnswer>> ask_once(const Submission& submission);
  template <class IsOver>
  Co<void> ask_until(Submission submission, IsOver is_over);

  Stage& stage_;
  ClientHost host_;
  Draw draw_;
  std::vector<std::string> numbered_keys_;
};

}  // namespace semel::sim
