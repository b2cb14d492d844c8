// script.h: behaviour scripts: one line, one thing that happens or must be true. The lines are listed in README.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "behaviour/world.h"

namespace semel::behaviour {

// Runs the script; returns what went wrong with its line number, or an empty string.
std::string run_script(const std::string& text, const std::string& folder);

}  // namespace semel::behaviour
