// entropy.h: unpredictable bytes for ids, keys and jitter. It is base/random.h's Random; production draws from the
// operating system and ends the process when that fails (fail closed), the simulator draws from its seed.
#pragma once

#include "base/random.h"

namespace semel {

using Entropy = Random;

}  // namespace semel
