// watch.cc: from split bytes to what the observer hears.
#include "sim/net/watch.h"

#include <utility>

namespace semel::sim {

std::string_view WireRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

std::size_t Watch::hand_over(std::string_view bytes) {
  const std::size_t taken = requests_.take(bytes);
  handed_over_ += taken;
  if (requests_.event() == MessageSplitter::Event::message) request_complete();
  return taken;
}

void Watch::request_complete() {
  ++requests_left_;
  heads_.push_back(requests_.method == "HEAD");
  WireRequest request{.connection = connection_,
                      .number = requests_left_,
                      .to = to_,
                      .method = requests_.method,
                      .target = requests_.target,
                      .headers = requests_.headers,
                      .body = requests_.body,
                      .replayed = replayed_};
  if (!replayed_) observer_.request_left(names_.asker, request);
  under_way_.push_back({.end = handed_over_, .request = std::move(request)});
}

void Watch::deliver_requests(std::size_t count) {
  delivered_ += count;
  while (!under_way_.empty() && under_way_.front().end <= delivered_) {
    observer_.request_arrived(names_.receiver, under_way_.front().request);
    under_way_.pop_front();
  }
}

void Watch::deliver_answers(std::string_view bytes) {
  while (true) {
    if (answers_.between_messages() && !heads_.empty() && heads_.front()) answers_.expect_no_body();
    const std::size_t taken = answers_.take(bytes);
    bytes.remove_prefix(taken);
    switch (answers_.event()) {
      case MessageSplitter::Event::none:
        return;
      case MessageSplitter::Event::head:
        within_answer_ = true;
        answer(false);
        break;
      case MessageSplitter::Event::message:
        answer(true);
        break;
      case MessageSplitter::Event::lost:
        return answers_break();
    }
  }
}

void Watch::answers_end() {
  answers_.end();
  if (answers_.event() == MessageSplitter::Event::message) return answer(true);
  answers_break();
}

void Watch::answers_break() {
  if (std::exchange(within_answer_, false)) answer(false);
}

void Watch::answer(bool complete) {
  observer_.answer_arrived(names_.asker, {.connection = connection_,
                                          .number = answers_complete_ + 1,
                                          .status = answers_.status,
                                          .headers = answers_.headers,
                                          .body = answers_.body,
                                          .complete = complete});
  if (!complete) return;
  within_answer_ = false;
  ++answers_complete_;
  if (!heads_.empty()) heads_.pop_front();
}

bool Watch::is_idle() const {
  return requests_.between_messages() && answers_.between_messages() && answers_complete_ == requests_left_;
}

}  // namespace semel::sim
