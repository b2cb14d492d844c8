// null_telemetry.h: for tests and tools that have nothing to say.
#pragma once

#include "port/telemetry.h"

namespace semel {

class NullTelemetry final : public Telemetry {
 public:
  void note(Level, std::string_view, std::initializer_list<Field>) override {}
};

}  // namespace semel
