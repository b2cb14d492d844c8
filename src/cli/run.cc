// run.cc: the root of the command line.
#include "cli/run.h"

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/listen.h"

namespace semel::cli {

namespace {

void add_all(CLI::App& root, int& exit_code) {
  add_serve(root, exit_code);
  add_listen(root, exit_code);
  add_send(root, exit_code);
  add_events(root, exit_code);
  add_endpoints(root, exit_code);
  add_subscriptions(root, exit_code);
  add_deliveries(root, exit_code);
  add_replay(root, exit_code);
  add_keys(root, exit_code);
  add_doctor(root, exit_code);
  add_version(root, exit_code);
  add_completion(root, exit_code);
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App root(
      "Semel takes events in durably and delivers them as signed webhooks: at least once, in order, provably.",
      "semel");
  root.footer(std::string("Clients read SEMEL_URL (default http://127.0.0.1:7350) and SEMEL_KEY.\n") + kExitCodesHelp);
  root.require_subcommand(1);
  int exit_code = exit_ok;
  add_all(root, exit_code);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return root.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return exit_code;
}

}  // namespace semel::cli
