// log.cc: lines through spdlog.
#include "edge/telemetry/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/bytes.h"

namespace semel {

namespace {

constexpr std::size_t kValueMax = 500;

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  std::unreachable();
}

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("semel", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    made.set_level(spdlog::level::trace);
    return made;
  }();
  return instance;
}

bool is_plain(char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\' && c != '='; }

std::string quoted(std::string_view value) {
  const std::string shown = printable(value, kValueMax);
  if (!shown.empty() && std::ranges::all_of(shown, is_plain)) return shown;
  std::string text = "\"";
  for (const char c : shown) {
    if (c == '"') text += '\\';
    text += c;
  }
  return text + "\"";
}

}  // namespace

std::string log_line(std::string_view event, std::initializer_list<Telemetry::Field> fields) {
  std::string line(event);
  for (const auto& [name, value] : fields) line.append(" ").append(name).append("=").append(quoted(value));
  return line;
}

void Log::note(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (level < least_) return;
  logger().log(level_of(level), log_line(event, fields));
}

}  // namespace semel
