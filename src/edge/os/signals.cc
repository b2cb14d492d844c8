// signals.cc: Asio's signal_set, waiting again after each signal.
#include "edge/os/signals.h"

#include <signal.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <utility>

namespace semel {

void ignore_write_signals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

struct StopSignals::State : std::enable_shared_from_this<StopSignals::State> {
  State(Loop& loop, std::move_only_function<void(int)> callback)
      : signals(loop.io(), SIGTERM, SIGINT), on_stop(std::move(callback)) {}

  void wait() {
    signals.async_wait([weak = weak_from_this()](const boost::system::error_code& error, int signal) {
      const auto self = weak.lock();
      if (error || !self) return;
      self->on_stop(signal);
      self->wait();
    });
  }

  boost::asio::signal_set signals;
  std::move_only_function<void(int)> on_stop;
};

StopSignals::StopSignals(Loop& loop, std::move_only_function<void(int)> on_stop)
    : state_(std::make_shared<State>(loop, std::move(on_stop))) {
  state_->wait();
}

StopSignals::~StopSignals() = default;

}  // namespace semel
