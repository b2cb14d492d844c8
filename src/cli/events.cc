// events.cc: semel events list | show | attempts.
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
  std::string type;
  std::string correlation_id;
  std::string since;
};

int run_list(const ListOptions& options) {
  const std::string target = options.page.target(
      "/v1/events", {{"type", options.type}, {"correlation_id", options.correlation_id}, {"since", options.since}});
  return show_list(call_server({.target = target}), options.page.output, "events",
                   {{"ID", "id"},
                    {"TYPE", "type"},
                    {"ACCEPTED", "accepted_at"},
                    {"ORDERING KEY", "ordering_key"},
                    {"SEQUENCE", "sequence"},
                    {"CORRELATION", "correlation_id"}});
}

void add_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("list", "events in the order they were accepted");
  auto options = std::make_shared<ListOptions>();
  command->add_option("--type", options->type, "only of this event type");
  command->add_option("--correlation-id", options->correlation_id, "only with this correlation id");
  command->add_option("--since", options->since, "only accepted at or after this RFC 3339 time");
  add_page_options(*command, options->page);
  on_run(*command, exit_code, [options] { return run_list(*options); });
}

struct OneOptions {
  std::string id;
  Output output = Output::text;
};

void add_show(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("show", "one event, its envelope and its deliveries");
  auto options = std::make_shared<OneOptions>();
  command->add_option("ID", options->id, "the event's id")->required();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    return show_object(call_server({.target = "/v1/events/" + percent_encode(options->id)}), options->output);
  });
}

void add_attempts(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("attempts", "every attempt to deliver one event, with what came back");
  auto options = std::make_shared<OneOptions>();
  command->add_option("ID", options->id, "the event's id")->required();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    return show_object(call_server({.target = "/v1/events/" + percent_encode(options->id) + "/attempts"}),
                       options->output);
  });
}

}  // namespace

void add_events(CLI::App& root, int& exit_code) {
  CLI::App* group = root.add_subcommand("events", "look at accepted events");
  group->require_subcommand(1);
  add_list(*group, exit_code);
  add_show(*group, exit_code);
  add_attempts(*group, exit_code);
}

}  // namespace semel::cli
