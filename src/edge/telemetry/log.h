// log.h: notes as lines on standard error, for people or for machines.
//
// A line never waits: while nobody reads the pipe, lines are dropped and counted, and the next one that can be written
// is preceded by `log.dropped count=N`. Bytes from outside come out as printable ASCII, so a note can neither start a
// line of its own nor command a terminal. Threads: any.
#pragma once

#include <memory>

#include "port/telemetry.h"

namespace semel {

struct LogOptions {
  enum class Form {
    text,  // 2026-11-30T07:45:51.123Z info delivery.settled endpoint=ep_1 note="connection refused"
    json,  // {"time":"2026-11-30T07:45:51.123Z","level":"info","event":"delivery.settled","endpoint":"ep_1",..}
  };
  Form form = Form::text;
  Level least = Level::info;
  int descriptor = 2;  // stays open as long as the log
};

std::unique_ptr<Telemetry> make_log(const LogOptions& options);

}  // namespace semel
