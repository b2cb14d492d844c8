// serve_options.cc: flags into settings, and the three sources into one configuration.
#include "cli/serve_options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "edge/os/files.h"

namespace semel::cli {

namespace {

constexpr std::size_t kConfigBytesMax = 1024 * 1024;

std::optional<std::string> unless_empty(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

app::Settings settings_of(const ServeOptions& options) {
  app::Settings settings{.store = unless_empty(options.store),
                         .listen = unless_empty(options.listen),
                         .allow_destination = std::nullopt,
                         .behind_proxy = std::nullopt,
                         .master_key_file = unless_empty(options.master_key_file),
                         .log_level = unless_empty(options.log_level),
                         .ca_file = unless_empty(options.ca_file),
                         .admin_key = std::nullopt};
  if (!options.allow_destination.empty()) settings.allow_destination = options.allow_destination;
  if (options.behind_proxy) settings.behind_proxy = true;
  return settings;
}

Result<app::Settings> settings_of_file(const std::string& path) {
  SEMEL_TRY(text, read_small_file(path, kConfigBytesMax));
  Result<app::Settings> settings = app::read_settings_file(text);
  if (!settings) return fail(settings.error().fault, path + ": " + settings.error().note);
  return settings;
}

}  // namespace

void add_serve_options(CLI::App& command, ServeOptions& options) {
  command.add_option("--store", options.store, "where everything is kept: sqlite:FILE (sqlite:semel.db)");
  command.add_option("--listen", options.listen, "ADDRESS:PORT; port 0 takes a free one (127.0.0.1:7350)");
  command.add_option("--config", options.config_file, "a TOML file with these settings");
  command.add_option(
      "--allow-destination", options.allow_destination,
      "open a range that is not public to deliveries: CIDR[:PORT[-PORT][,..]], without ports 80, 443, 8080 and "
      "8443; may be repeated");
  command.add_flag("--behind-proxy", options.behind_proxy,
                   "a TLS proxy stands before this listener, which may then be on any address");
  command.add_option("--master-key-file", options.master_key_file,
                     "the key that seals all secrets (STORE_FILE.key, made with the store)");
  command.add_option("--ca-file", options.ca_file, "certificates to trust for endpoints beside those of the system");
  command.add_option("--log-level", options.log_level, "debug, info, warning or error (info)");
}

Result<app::Config> config_of(const ServeOptions& options) {
  app::Settings settings = app::merge(settings_of(options), app::read_settings_environment(environment));
  const std::optional<std::string> file =
      options.config_file.empty() ? environment("SEMEL_CONFIG") : std::optional(options.config_file);
  if (file) {
    SEMEL_TRY(from_file, settings_of_file(*file));
    settings = app::merge(std::move(settings), std::move(from_file));
  }
  return app::make_config(settings);
}

}  // namespace semel::cli
