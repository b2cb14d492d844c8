// completion.cc: semel completion bash. The words come from the commands themselves, so that none is forgotten.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"

namespace semel::cli {

namespace {

std::string words_of(const CLI::App& command) {
  std::string words;
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; }))
    words += child->get_name() + " ";
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  if (!words.empty()) words.pop_back();
  return words;
}

void append_cases(std::string& script, const CLI::App& command, const std::string& path) {
  script += fmt::format("    '{}') words='{}' ;;\n", path, words_of(command));
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; }))
    append_cases(script, *child, path.empty() ? child->get_name() : path + " " + child->get_name());
}

std::string bash_script(const CLI::App& root) {
  std::string cases;
  append_cases(cases, root, "");
  return fmt::format(
      "_semel() {{\n"
      "  local words='' path='' word\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    [[ $word == -* ]] && continue\n"
      "    path=\"${{path:+$path }}$word\"\n"
      "  done\n"
      "  case \"$path\" in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "complete -o default -F _semel semel\n",
      cases);
}

}  // namespace

void add_completion(CLI::App& root, int& exit_code) {
  CLI::App* group = root.add_subcommand("completion", "completion for your shell: eval \"$(semel completion bash)\"");
  group->require_subcommand(1);
  on_run(*group->add_subcommand("bash", "for bash"), exit_code, [&root] {
    fmt::print("{}", bash_script(root));
    return exit_ok;
  });
}

}  // namespace semel::cli
