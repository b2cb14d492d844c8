// scope.h: who owns the coroutines that run beside each other. A Scope starts them, frees each when it ends, and drops
// those still running when it is destroyed.
//
// Threads:    the loop's thread only.
// On a crash: ~Scope destroys the frames; no port operation of theirs may complete afterwards (the edge stops its loop
//             first, the simulator drops the node's operations first).
#pragma once

#include <coroutine>
#include <exception>
#include <unordered_set>
#include <utility>

#include "port/co.h"

namespace semel {

class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { drop_all(); }

  // Runs `body` up to its first wait before this returns.
  void spawn(Co<void> body) {
    const std::coroutine_handle<> handle = root(this, std::move(body)).handle;
    running_.insert(handle.address());
    trampoline::run(handle);
  }

  std::size_t running() const { return running_.size(); }

  void drop_all() {
    while (!running_.empty()) {
      void* address = *running_.begin();
      running_.erase(running_.begin());
      std::coroutine_handle<>::from_address(address).destroy();
    }
  }

 private:
  struct Root {
    struct promise_type {
      Scope* scope;
      promise_type(Scope* owner, Co<void>&) : scope(owner) {}
      struct Final {
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> finished) const noexcept {
          Scope* owner = finished.promise().scope;
          owner->running_.erase(finished.address());
          finished.destroy();
        }
        void await_resume() const noexcept {}
      };
      Root get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
      std::suspend_always initial_suspend() const noexcept { return {}; }
      Final final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
  };
  static Root root(Scope*, Co<void> body) { co_await std::move(body); }

  std::unordered_set<void*> running_;
};

}  // namespace semel
