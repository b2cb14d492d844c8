// run.h: the command line of semel.
#pragma once

namespace semel::cli {

// Runs one sub-command and returns its exit code (cli/exit_code.h).
int run(int argc, char** argv);

}  // namespace semel::cli
