// result.h: the error type. A fault says what the caller can do next, and whether the effect may be there already.
//
// A new fault needs a caller that would act differently on it. Domain answers (a replay, a deferral, an input that
// came too late) are values of their own, not errors.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace semel {

enum class Fault {
  invalid,  // the request can never succeed as it is
  not_found,
  forbidden,
  conflict,         // something else changed first; read again and decide again
  fenced,           // an older owner speaks; it must stop
  busy,             // a bound is reached; the same request later may succeed
  unavailable,      // surely nothing happened; the same request later may succeed
  timed_out,        // the effect may be there
  unknown_outcome,  // the effect may be there
  corrupt,          // stored bytes are not what was written
};

// What the caller of a failed call can do.
enum class Recourse { fix_request, reread, wait_and_retry, ask_then_retry, give_up, call_operator };

constexpr Recourse recourse(Fault fault) {
  switch (fault) {
    case Fault::invalid:
      return Recourse::fix_request;
    case Fault::not_found:
      return Recourse::fix_request;
    case Fault::forbidden:
      return Recourse::fix_request;
    case Fault::conflict:
      return Recourse::reread;
    case Fault::fenced:
      return Recourse::give_up;
    case Fault::busy:
      return Recourse::wait_and_retry;
    case Fault::unavailable:
      return Recourse::wait_and_retry;
    case Fault::timed_out:
      return Recourse::ask_then_retry;
    case Fault::unknown_outcome:
      return Recourse::ask_then_retry;
    case Fault::corrupt:
      return Recourse::call_operator;
  }
  std::unreachable();
}

// True when the effect of the failed call may exist all the same.
constexpr bool may_have_happened(Fault fault) { return fault == Fault::timed_out || fault == Fault::unknown_outcome; }

// The note is for people and is never parsed.
struct [[nodiscard]] Error {
  Fault fault;
  std::string note;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Fault fault, std::string note) {
  return std::unexpected(Error{fault, std::move(note)});
}

}  // namespace semel

// SEMEL_TRY(name, expression): binds the value of a Result to `name`, or returns its error from this function.
#define SEMEL_TRY(name, ...)                                                        \
  auto name##_or_error = (__VA_ARGS__);                                             \
  if (!name##_or_error) return std::unexpected(std::move(name##_or_error).error()); \
  auto name = *std::move(name##_or_error)

// SEMEL_TRY_VOID(expression): returns the error of a Result<void> from this function.
#define SEMEL_TRY_VOID(...)                                       \
  do {                                                            \
    if (auto try_void_result = (__VA_ARGS__); !try_void_result)   \
      return std::unexpected(std::move(try_void_result).error()); \
  } while (false)
