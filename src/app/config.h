// config.h: what the operator said, from flags, environment and file, as one checked configuration.
//
// A value is taken from the first that names it: command line, environment, file, default. Secrets come from the
// environment or files of their own, never from the configuration file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/egress/address.h"
#include "edge/secrets/master_key.h"
#include "port/telemetry.h"

namespace semel::app {

// What one source says; members it does not name are absent.
struct Settings {
  std::optional<std::string> store;                           // sqlite:FILE
  std::optional<std::string> listen;                          // ADDRESS:PORT
  std::optional<std::vector<std::string>> allow_destination;  // CIDR[:PORT[-PORT][,..]]
  std::optional<bool> behind_proxy;
  std::optional<std::string> master_key_file;
  std::optional<std::string> log_level;  // debug, info, warning, error
  std::optional<std::string> ca_file;    // trusted for endpoints beside the certificates of the system
  std::optional<std::string> admin_key;  // environment only
};

struct Config {
  std::string database;  // the file of the store
  egress::SocketAddress listen;
  std::vector<egress::AllowedRange> allowed;
  MasterKeyFile master_key;
  Level log_level = Level::info;
  std::optional<std::string> ca_file;
  std::optional<std::string> admin_key;
};

// Fault::invalid with the line of a syntax error, or an unknown name and the known one it is nearest to.
Result<Settings> read_settings_file(std::string_view toml);

using Lookup = std::function<std::optional<std::string>(const char* name)>;
Settings read_settings_environment(const Lookup& lookup);

// `first` wins.
Settings merge(Settings first, Settings second);

// Fault::invalid when a value makes no sense or is not safe: an address beside loopback needs behind_proxy.
Result<Config> make_config(const Settings& settings);

}  // namespace semel::app
