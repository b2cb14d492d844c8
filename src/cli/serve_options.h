// serve_options.h: the options that say how a server runs: of serve, and of doctor, which looks at the same.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"

namespace CLI {
class App;
}

namespace semel::cli {

struct ServeOptions {
  std::string config_file;
  std::string store;
  std::string listen;
  std::vector<std::string> allow_destination;
  bool behind_proxy = false;
  std::string master_key_file;
  std::string ca_file;
  std::string log_level;
};

void add_serve_options(CLI::App& command, ServeOptions& options);

// Flags, then environment, then file.
Result<app::Config> config_of(const ServeOptions& options);

}  // namespace semel::cli
