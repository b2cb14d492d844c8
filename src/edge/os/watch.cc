// watch.cc: Asio's descriptor, made not to own what it watches and not to speak after its end.
#include "edge/os/watch.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

#include "base/check.h"

namespace semel {

struct Watch::State {
  explicit State(Loop& loop) : descriptor(loop.io()) {}
  boost::asio::posix::stream_descriptor descriptor;
  Done<> waiting[2];  // by For
};

Watch::Watch(Loop& loop, int fd) : state_(std::make_shared<State>(loop)) {
  boost::system::error_code error;
  state_->descriptor.assign(fd, error);
  SEMEL_CHECK(!error);
}

Watch::Watch(Watch&&) noexcept = default;

Watch::~Watch() {
  if (!state_) return;
  for (Done<>& waiting : state_->waiting) waiting = nullptr;
  state_->descriptor.release();
}

void Watch::wait(For what, Done<> done) {
  using boost::asio::posix::descriptor_base;
  const auto index = static_cast<std::size_t>(what);
  SEMEL_CHECK(!state_->waiting[index]);
  state_->waiting[index] = std::move(done);
  state_->descriptor.async_wait(what == For::reading ? descriptor_base::wait_read : descriptor_base::wait_write,
                                [weak = std::weak_ptr(state_), index](const boost::system::error_code&) {
                                  const auto state = weak.lock();
                                  if (state && state->waiting[index]) std::exchange(state->waiting[index], nullptr)();
                                });
}

}  // namespace semel
