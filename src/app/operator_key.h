// operator_key.h: the key that a new server is first opened with.
//
// SEMEL_ADMIN_KEY, when it is set, is an operator's key of every tenant that stands in no row, so it also opens a
// server whose keys were lost. Without it, a store that has no operator's key of every tenant is given one, and its
// text is told once: to a terminal, or into a file that only this user may read.
#pragma once

#include <functional>
#include <string>

#include "engine/key_ring.h"

namespace semel::app {

// Fault::invalid: not ID.SECRET.
Result<access::ApiKey> read_admin_key(std::string_view text);

struct Told {
  bool watched;      // a person sees what `say` says
  std::string file;  // else the key goes here
  std::function<void(const std::string& line)> say;
};
Co<Result<void>> provide_operator_key(engine::KeyRing& keys, Told told);

}  // namespace semel::app
