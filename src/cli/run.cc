// run.cc: the root of the command line.
#include "cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/listen.h"

namespace semel::cli {

namespace {

constexpr std::size_t kShownMax = 64;

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

// The parser itself would only say that a sub-command is missing.
std::optional<std::string> unknown_command(const CLI::App& root, int argc, char** argv) {
  if (argc < 2 || *argv[1] == '-' || *argv[1] == '\0') return std::nullopt;
  const std::string name = argv[1];
  std::vector<std::string_view> known;
  for (const CLI::App* command : root.get_subcommands({})) known.push_back(command->get_name());
  if (std::ranges::find(known, name) != known.end()) return std::nullopt;
  return "no command '" + printable(name, kShownMax) + "'" + nearest_name_hint(name, known) +
         "; `semel --help` lists them";
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
  if (const std::optional<std::string> unknown = unknown_command(root, argc, argv)) {
    fmt::print(stderr, "semel: {}\n", *unknown);
    return exit_usage;
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return root.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return exit_code;
}

}  // namespace semel::cli
