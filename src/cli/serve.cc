// serve.cc: semel serve.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/config.h"
#include "app/server.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "cli/serve_options.h"

namespace semel::cli {

namespace {

struct Options {
  ServeOptions serve;
  std::string tls_cert;
  std::string tls_key;
};

int run_serve(const Options& options) {
  if (!options.tls_cert.empty() || !options.tls_key.empty())
    return report(Error{Fault::invalid,
                        "--tls-cert and --tls-key are not available yet: put a TLS proxy before this "
                        "listener and say --behind-proxy"});
  const Result<app::Config> config = config_of(options.serve);
  if (!config) return report(config.error());
  const Result<void> ended =
      app::run_server(*config, {.watched = output_is_watched(), .say = [](const std::string& line) {
                                  fmt::print("{}\n", line);
                                  std::fflush(stdout);
                                }});
  return ended ? exit_ok : report(ended.error());
}

}  // namespace

void add_serve(CLI::App& root, int& exit_code) {
  CLI::App* command = root.add_subcommand("serve", "run the server");
  auto options = std::make_shared<Options>();
  add_serve_options(*command, options->serve);
  command->add_option("--tls-cert", options->tls_cert, "not available yet");
  command->add_option("--tls-key", options->tls_key, "not available yet");
  command->footer(
      "Environment: SEMEL_CONFIG, SEMEL_STORE, SEMEL_LISTEN, SEMEL_MASTER_KEY_FILE, SEMEL_LOG_LEVEL, and "
      "SEMEL_ADMIN_KEY, an operator's key of your own.");
  on_run(*command, exit_code, [options] { return run_serve(*options); });
}

}  // namespace semel::cli
