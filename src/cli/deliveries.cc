// deliveries.cc: semel deliveries list | show.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/page.h"

namespace semel::cli {

namespace {

struct ListOptions {
  Page page;
  std::string state;
  std::string endpoint;
};

int run_list(const ListOptions& options) {
  const std::string target =
      options.page.target("/v1/deliveries", {{"state", options.state}, {"endpoint_id", options.endpoint}});
  return show_list(call_server({.target = target}), options.page.output, "deliveries",
                   {{"ID", "id"},
                    {"TYPE", "event_type"},
                    {"STATE", "state"},
                    {"ROUND", "round"},
                    {"ATTEMPTS", "attempts"},
                    {"NEXT ATTEMPT", "next_attempt_at"},
                    {"REASON", "reason"},
                    {"MAY HAVE HAPPENED", "may_have_happened"}});
}

void add_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("list", "deliveries, oldest first");
  auto options = std::make_shared<ListOptions>();
  command->add_option("--state", options->state,
                      "due, in_flight, unknown, parked, blocked, delivered, dead or cancelled");
  command->add_option("--endpoint", options->endpoint, "only of this endpoint");
  add_page_options(*command, options->page);
  on_run(*command, exit_code, [options] { return run_list(*options); });
}

void add_show(CLI::App& group, int& exit_code) {
  struct Options {
    std::string id;
    Output output = Output::text;
  };
  CLI::App* command = group.add_subcommand("show", "one delivery with every attempt and what came back");
  auto options = std::make_shared<Options>();
  command->add_option("ID", options->id, "EVENT_ID.ENDPOINT_ID")->required();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    return show_object(call_server({.target = "/v1/deliveries/" + percent_encode(options->id)}), options->output);
  });
}

}  // namespace

void add_deliveries(CLI::App& root, int& exit_code) {
  CLI::App* group = root.add_subcommand("deliveries", "what became of each event at each endpoint");
  group->require_subcommand(1);
  add_list(*group, exit_code);
  add_show(*group, exit_code);
}

}  // namespace semel::cli
