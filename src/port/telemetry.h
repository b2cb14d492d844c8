// telemetry.h: what the process says about itself. One event of note is one line with named fields, said in one place.
// Never a secret, never a whole body (I-SECRET-ZERO).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace semel {

enum class Level { debug, info, warning, error };

class Telemetry {
 public:
  virtual ~Telemetry() = default;
  using Field = std::pair<std::string_view, std::string>;
  virtual void note(Level level, std::string_view event, std::initializer_list<Field> fields) = 0;
};

}  // namespace semel
