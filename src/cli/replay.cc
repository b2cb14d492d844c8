// replay.cc: semel replay DELIVERY.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace semel::cli {

void add_replay(CLI::App& root, int& exit_code) {
  struct Options {
    std::string id;
    Output output = Output::text;
  };
  CLI::App* command = root.add_subcommand(
      "replay",
      "send a delivery again: same id, same bytes, its next round; one that waits for its next attempt goes now");
  auto options = std::make_shared<Options>();
  command->add_option("DELIVERY", options->id, "EVENT_ID.ENDPOINT_ID, as `semel deliveries list` shows it")->required();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    const std::string target = "/v1/deliveries/" + percent_encode(options->id) + "/replay";
    return show_object(call_server({.method = "POST", .target = target}), options->output);
  });
}

}  // namespace semel::cli
