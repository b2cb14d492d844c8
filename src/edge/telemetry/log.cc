// log.cc: spdlog stamps and levels the lines; writing them without waiting is done here.
#include "edge/telemetry/log.h"

#include <limits.h>
#include <poll.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/bytes.h"
#include "base/json.h"

namespace semel {

namespace {

constexpr std::size_t kValueMax = 1024;
// A pipe that poll calls writable takes this many bytes at once (pipe(7)); the stamp needs some of them.
constexpr std::size_t kFieldsMax = PIPE_BUF - 200;

spdlog::level::level_enum to_spdlog(Level level) {
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

bool needs_quotes(std::string_view value) { return value.empty() || value.find_first_of(" \"=") != value.npos; }

std::string text_value(std::string_view value) {
  const std::string shown = printable(value, kValueMax);
  if (!needs_quotes(shown)) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string json_string(std::string_view value) {
  std::string quoted;
  append_json_string(quoted, printable(value, kValueMax));
  return quoted;
}

// What stands behind the stamp. Fields that would make the line too long for one write are left out, and it says so.
std::string compose(LogOptions::Form form, std::string_view event, std::initializer_list<Telemetry::Field> fields) {
  const bool text = form == LogOptions::Form::text;
  std::string line = text ? printable(event, kValueMax) : "\"event\":" + json_string(event);
  for (const auto& [name, value] : fields) {
    const std::string field =
        text ? " " + std::string(name) + "=" + text_value(value) : "," + json_string(name) + ":" + json_string(value);
    if (line.size() + field.size() > kFieldsMax) {
      line += text ? " cut=true" : ",\"cut\":true";
      break;
    }
    line += field;
  }
  return line;
}

const char* pattern_of(LogOptions::Form form) {
  switch (form) {
    case LogOptions::Form::text:
      return "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
    case LogOptions::Form::json:
      return R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
  }
  std::unreachable();
}

// Non-blocking by asking first, since O_NONBLOCK would also change the descriptor for the processes it is shared with.
class DroppingSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit DroppingSink(const LogOptions& options) : options_(options) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (dropped_ > 0 && write_line(dropped_message(message.time))) dropped_ = 0;
    if (dropped_ > 0 || !write_line(message)) ++dropped_;
  }
  void flush_() override {}

  bool write_line(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    pollfd writable{.fd = options_.descriptor, .events = POLLOUT, .revents = 0};
    if (poll(&writable, 1, 0) != 1 || (writable.revents & POLLOUT) == 0) return false;
    return write(options_.descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  }

  spdlog::details::log_msg dropped_message(spdlog::log_clock::time_point time) {
    dropped_text_ = compose(options_.form, "log.dropped", {{"count", std::to_string(dropped_)}});
    return {time, spdlog::source_loc{}, "semel", spdlog::level::warn, dropped_text_};
  }

  LogOptions options_;
  std::uint64_t dropped_ = 0;
  std::string dropped_text_;
};

class Log final : public Telemetry {
 public:
  explicit Log(const LogOptions& options)
      : form_(options.form), logger_("semel", std::make_shared<DroppingSink>(options)) {
    logger_.set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern_of(options.form), spdlog::pattern_time_type::utc));
    logger_.set_level(to_spdlog(options.least));
  }

  void note(Level level, std::string_view event, std::initializer_list<Field> fields) override {
    if (!logger_.should_log(to_spdlog(level))) return;
    logger_.log(to_spdlog(level), spdlog::string_view_t(compose(form_, event, fields)));
  }

 private:
  LogOptions::Form form_;
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<Telemetry> make_log(const LogOptions& options) { return std::make_unique<Log>(options); }

}  // namespace semel
