// subscriptions.cc: semel subscriptions create | list | delete.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace semel::cli {

namespace {

struct Options {
  std::string id;
  std::string endpoint;
  std::vector<std::string> event_types;
  Output output = Output::text;
};

int run_create(const Options& options) {
  JsonWriter json;
  json.object().member("endpoint_id", options.endpoint).key("event_types").array();
  for (const std::string& type : options.event_types) json.value(type);
  return show_object(call_server({.method = "POST", .target = "/v1/subscriptions", .body = json.end().end().take()}),
                     options.output);
}

void add_create(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("create", "send further event types to an endpoint");
  auto options = std::make_shared<Options>();
  command->add_option("ENDPOINT", options->endpoint, "the endpoint's id")->required();
  command->add_option("EVENT_TYPES", options->event_types, "types or patterns, as shipment.* or *")
      ->required()
      ->delimiter(',');
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] { return run_create(*options); });
}

void add_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("list", "which events go to which endpoint");
  auto options = std::make_shared<Options>();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    return show_list(
        call_server({.target = "/v1/subscriptions"}), options->output, "subscriptions",
        {{"ID", "id"}, {"ENDPOINT", "endpoint_id"}, {"EVENT TYPES", "event_types"}, {"CREATED", "created_at"}});
  });
}

void add_delete(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("delete", "stop later events; those accepted before are still delivered");
  auto options = std::make_shared<Options>();
  command->add_option("ID", options->id, "the subscription's id")->required();
  on_run(*command, exit_code, [options] {
    return show_done(call_server({.method = "DELETE", .target = "/v1/subscriptions/" + percent_encode(options->id)}),
                     "deleted");
  });
}

}  // namespace

void add_subscriptions(CLI::App& root, int& exit_code) {
  CLI::App* group = root.add_subcommand("subscriptions", "which events go to which endpoint");
  group->require_subcommand(1);
  add_create(*group, exit_code);
  add_list(*group, exit_code);
  add_delete(*group, exit_code);
}

}  // namespace semel::cli
