// lanes.cc: a queue and a thread for each lane.
#include "edge/os/lanes.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace semel {

class ThreadLanes::Thread {
 public:
  explicit Thread(Executor& executor) : executor_(executor) {}
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void push(std::move_only_function<void()> work, Done<> done) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back({std::move(work), std::move(done)});
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    }
    wake_.notify_one();
  }

 private:
  struct Job {
    std::move_only_function<void()> work;
    Done<> done;
  };

  void run() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      Job job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      job.work();
      job.work = nullptr;  // what the work holds is let go before `done` can run
      executor_.post(std::move(job.done));
      lock.lock();
    }
  }

  Executor& executor_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> queue_;
  bool ending_ = false;
  std::thread thread_;
};

ThreadLanes::ThreadLanes(Executor& executor) {
  for (auto& thread : threads_) thread = std::make_unique<Thread>(executor);
}

ThreadLanes::~ThreadLanes() = default;

void ThreadLanes::start_blocking(Lane lane, std::move_only_function<void()> work, Done<> done) {
  threads_[static_cast<std::size_t>(lane)]->push(std::move(work), std::move(done));
}

}  // namespace semel
