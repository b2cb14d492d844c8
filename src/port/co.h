// co.h: Co<T>, the coroutine that engine, api and http code is written in, and the way it waits for a port.
//
// A Co<T> starts when it is awaited and belongs to whoever awaits it; destroying it destroys its frame. Resumption
// goes through a trampoline, so a million completions in a row need constant stack at every optimisation level.
// Failures travel as values (Co<Result<T>>): an exception that leaves a coroutine ends the process.
// Threads:    all coroutines of a process run on one thread.
// On a crash: frames are simply dropped; a destructor in a coroutine must not talk to a port.
// Why our own and not asio::awaitable: docs/design/coroutines.md.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace semel {

// What a port calls, once, with the result of an operation; never from inside the call that started it unless the
// port says so, and both are fine for call<T>() below.
template <class... A>
using Done = std::move_only_function<void(A...)>;

namespace trampoline {

inline thread_local std::coroutine_handle<> next;

inline void run(std::coroutine_handle<> handle) {
  next = handle;
  while (next) std::exchange(next, nullptr).resume();
}

}  // namespace trampoline

template <class T = void>
class Co;

namespace co_detail {

struct PromiseBase {
  std::coroutine_handle<> continuation;

  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      trampoline::next = finished.promise().continuation;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  Final final_suspend() const noexcept { return {}; }
  [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Co<T> get_return_object();
  template <class U>
    requires std::constructible_from<T, U&&>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  Co<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace co_detail

template <class T>
class [[nodiscard]] Co {
 public:
  using promise_type = co_detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Co(Handle handle) : handle_(handle) {}
  Co(Co&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Co& operator=(Co&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Co() {
    if (handle_) handle_.destroy();
  }

  struct Awaiter {
    Handle handle;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> parent) const noexcept {
      handle.promise().continuation = parent;
      trampoline::next = handle;
    }
    T await_resume() const { return handle.promise().take(); }
  };
  Awaiter operator co_await() const& noexcept { return Awaiter{handle_}; }
  Awaiter operator co_await() && noexcept { return Awaiter{handle_}; }

 private:
  Handle handle_;
};

namespace co_detail {

template <class T>
Co<T> Promise<T>::get_return_object() {
  return Co<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Co<void> Promise<void>::get_return_object() {
  return Co<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace co_detail

// Waits for a port operation: co_await call<T>([&](Done<T> done) { port.start_x(args, std::move(done)); }).
// The operation may complete inside the start call or later on the loop's thread.
template <class T, class Start>
class [[nodiscard]] Call {
 public:
  explicit Call(Start start) : start_(std::move(start)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    start_(Done<T>([this](T result) { complete(std::move(result)); }));
    starting_ = false;
    return !result_.has_value();
  }
  T await_resume() { return std::move(*result_); }

 private:
  void complete(T result) {
    SEMEL_CHECK(!result_.has_value());
    result_.emplace(std::move(result));
    if (!starting_) trampoline::run(waiting_);
  }

  Start start_;
  std::coroutine_handle<> waiting_;
  std::optional<T> result_;
  bool starting_ = true;
};

template <class T, class Start>
Call<T, Start> call(Start start) {
  return Call<T, Start>(std::move(start));
}

// For operations that complete without a value.
struct Nothing {};

}  // namespace semel
