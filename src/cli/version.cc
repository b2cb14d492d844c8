// version.cc: semel version.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "semel_version.h"

namespace semel::cli {

void add_version(CLI::App& root, int& exit_code) {
  on_run(*root.add_subcommand("version", "the version of this program"), exit_code, [] {
    fmt::print("semel {}\n", SEMEL_VERSION);
    return exit_ok;
  });
}

}  // namespace semel::cli
