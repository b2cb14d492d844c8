// check.h: SEMEL_CHECK stops the process when an invariant is broken. It stays on in release builds: a process that
// no longer believes its own facts must not go on writing.
#pragma once

namespace semel {

[[noreturn]] void check_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace semel

#define SEMEL_CHECK(expression)                               \
  do {                                                        \
    if (!(expression)) [[unlikely]]                           \
      ::semel::check_failed(#expression, __FILE__, __LINE__); \
  } while (false)
