// scenario_main.cc: one small case, told step by step with real processes. Exit code 1 when it did not turn out as
// told.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "base/testing/temp_folder.h"
#include "scenario/scenarios.h"

namespace semel::scenario {
namespace {

int list() {
  for (const Scenario& scenario : scenarios()) fmt::print("{:<12} {}\n", scenario.name, scenario.about);
  return 0;
}

int play(const std::string& name, const std::string& semel) {
  const auto found = std::ranges::find(scenarios(), name, &Scenario::name);
  if (found == scenarios().end()) {
    fmt::print(stderr, "no scenario '{}'; there are:\n", name);
    list();
    return 2;
  }
  fmt::print("{}: {}\n", found->name, found->about);
  Story story;
  const TempFolder folder;
  if (const Result<void> played = found->play(semel, folder.path(), story); !played) {
    fmt::print(stderr, "\nsemel-scenario: {}\n", played.error().note);
    return 1;
  }
  fmt::print("\n{}\n", story.good() ? "It turned out as told." : "It did not turn out as told.");
  return story.good() ? 0 : 1;
}

}  // namespace
}  // namespace semel::scenario

int main(int argc, char** argv) {
  std::string name;
  std::string semel =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../semel").lexically_normal().string();
  bool list = false;
  CLI::App app("Plays a small case with real processes and says what happened.");
  app.add_option("name", name, "Which one");
  app.add_option("--semel", semel, "The program to run")->check(CLI::ExistingFile);
  app.add_flag("--list", list, "Name the scenarios");
  CLI11_PARSE(app, argc, argv);
  if (list || name.empty()) return semel::scenario::list();
  return semel::scenario::play(name, semel);
}
