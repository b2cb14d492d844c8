// elsewhere.h: the same computation in another process, to see that nothing of this one is part of it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "base/check.h"

namespace semel::sim {

// What `compute` says in a fork of this process.
template <class F>
std::uint64_t elsewhere(F compute) {
  std::array<int, 2> told{};
  SEMEL_CHECK(pipe(told.data()) == 0);
  const pid_t child = fork();
  SEMEL_CHECK(child >= 0);
  if (child == 0) {
    const std::uint64_t computed = compute();
    _exit(write(told[1], &computed, sizeof computed) == sizeof computed ? 0 : 1);
  }
  close(told[1]);  // so that a child that dies is not waited for
  std::uint64_t computed = 0;
  SEMEL_CHECK(read(told[0], &computed, sizeof computed) == sizeof computed);
  close(told[0]);
  SEMEL_CHECK(waitpid(child, nullptr, 0) == child);
  return computed;
}

}  // namespace semel::sim
