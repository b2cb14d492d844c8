// log.h: port/telemetry.h as lines on standard error: time, level, event, name=value.
//
// Values are quoted where they hold anything but plain characters, and bytes that are not printable are escaped, so
// that nothing from outside can break a line or move a terminal.
#pragma once

#include "port/telemetry.h"

namespace semel {

class Log final : public Telemetry {
 public:
  explicit Log(Level least) : least_(least) {}
  void note(Level level, std::string_view event, std::initializer_list<Field> fields) override;

 private:
  Level least_;
};

// The line without its time: "event name=value name=\"a b\"".
std::string log_line(std::string_view event, std::initializer_list<Telemetry::Field> fields);

}  // namespace semel
