// config_fuzz.cc: a configuration file is read or refused with a line; what was read says the same when it is written
// again, and no configuration that is not safe comes of it.
#include "app/config.h"

#include <fmt/format.h>

#include <string>

#include "base/bytes.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using app::Settings;

std::string quoted(std::string_view text) {
  std::string toml = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      toml += std::string("\\") + c;
    } else if ((c >= 0 && c < 0x20) || c == 0x7F) {
      toml += fmt::format("\\u{:04x}", c);
    } else {
      toml += c;
    }
  }
  return toml + "\"";
}

std::string written(const Settings& settings) {
  std::string toml;
  const auto text = [&](std::string_view name, const std::optional<std::string>& value) {
    if (value) toml += fmt::format("{} = {}\n", name, quoted(*value));
  };
  text("store", settings.store);
  text("listen", settings.listen);
  text("master_key_file", settings.master_key_file);
  text("log_level", settings.log_level);
  text("ca_file", settings.ca_file);
  if (settings.behind_proxy) toml += fmt::format("behind_proxy = {}\n", *settings.behind_proxy);
  if (!settings.allow_destination) return toml;
  toml += "allow_destination = [";
  for (const std::string& range : *settings.allow_destination) toml += quoted(range) + ", ";
  return toml + "]\n";
}

void check_config(const Settings& settings) {
  const Result<app::Config> config = app::make_config(settings);
  if (!config) {
    SEMEL_CHECK(config.error().fault == Fault::invalid);
    return;
  }
  SEMEL_CHECK(!config->database.empty());
  SEMEL_CHECK(!config->master_key.path.empty() || settings.master_key_file);
  SEMEL_CHECK(egress::is_loopback(config->listen.ip) || settings.behind_proxy.value_or(false));
  SEMEL_CHECK(config->allowed.size() == settings.allow_destination.value_or(std::vector<std::string>{}).size());
}

}  // namespace

void config(std::string_view bytes) {
  const Result<Settings> settings = app::read_settings_file(bytes);
  if (!settings) {
    SEMEL_CHECK(settings.error().fault == Fault::invalid);
    SEMEL_CHECK(settings.error().note.starts_with("line "));
    return;
  }
  SEMEL_CHECK(!settings->admin_key);
  const std::string text = written(*settings);
  const Result<Settings> again = app::read_settings_file(text);
  SEMEL_CHECK(again.has_value());
  SEMEL_CHECK(written(*again) == text);
  check_config(*settings);
}

}  // namespace semel::fuzz
