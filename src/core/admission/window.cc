// window.cc: an endpoint's window and its waits.
#include "core/admission/window.h"

#include <algorithm>

#include "base/probe.h"

namespace semel::admission {

Window Window::resumed(std::uint32_t max_in_flight, std::optional<Wait> wait) {
  Window window(max_in_flight);
  window.size_ = 1;
  window.ramp_target_ = std::max(1u, max_in_flight / 2);
  window.wait_ = wait;
  if (wait) window.wait_step_ = wait->step;
  probe::sometimes<"window.resumes_in_a_wait">(wait.has_value());
  return window;
}

Window::Admission Window::admit(std::uint32_t in_flight, WallTime now) {
  if (wait_ && now < wait_->until) return Defer{wait_->until};
  wait_.reset();
  probe::sometimes<"window.full">(in_flight >= size_);
  if (in_flight < size_) return Permit{};
  return Full{};
}

void Window::wait_is_over(WallTime until) {
  probe::sometimes<"window.longer_wait_stands">(wait_ && wait_->until > until);
  if (wait_ && wait_->until <= until) wait_.reset();
}

void Window::answered_willing(std::uint64_t generation) {
  probe::sometimes<"window.willing_from_before_the_refusal">(generation != generation_);
  if (generation != generation_) return;
  wait_step_ = milliseconds(0);
  if (size_ == max_ || ++answers_in_window_ < size_) return;
  answers_in_window_ = 0;
  probe::sometimes<"window.doubles">(size_ < ramp_target_);
  probe::sometimes<"window.grows_by_one">(size_ >= ramp_target_);
  size_ = size_ < ramp_target_ ? std::min(size_ * 2, ramp_target_) : size_ + 1;
}

std::optional<Wait> Window::answered_throttled(std::uint64_t generation, WallTime now) {
  probe::sometimes<"window.refusal_from_before_the_last">(generation != generation_);
  if (generation != generation_) return std::nullopt;
  ++generation_;
  answers_in_window_ = 0;
  ramp_target_ = std::max(1u, size_ / 2);
  if (size_ > 1) {
    probe::reached<"window.halves">();
    size_ /= 2;
    return std::nullopt;
  }
  wait_step_ = wait_step_ == milliseconds(0) ? kFirstWait : std::min(wait_step_ * 2, kLongestWait);
  probe::sometimes<"window.first_wait">(wait_step_ == kFirstWait);
  probe::sometimes<"window.longest_wait">(wait_step_ == kLongestWait);
  wait_ = Wait{now + wait_step_, wait_step_};
  return wait_;
}

std::optional<Wait> Window::answered_wait(milliseconds retry_after, WallTime now) {
  const Wait asked{now + retry_after, milliseconds(0)};
  probe::sometimes<"window.shorter_wait_changes_nothing">(wait_ && wait_->until >= asked.until);
  if (wait_ && wait_->until >= asked.until) return std::nullopt;
  probe::reached<"window.waits_as_asked">();
  ++generation_;
  answers_in_window_ = 0;
  ramp_target_ = std::max(1u, size_ / 2);
  size_ = 1;
  wait_ = asked;
  return wait_;
}

}  // namespace semel::admission
