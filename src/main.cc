// main.cc: the program `semel`. The sub-commands are in src/cli, one per file.
#include "cli/run.h"

int main(int argc, char** argv) { return semel::cli::run(argc, argv); }
