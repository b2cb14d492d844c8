// keys.cc: semel keys create | list | delete.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace semel::cli {

namespace {

struct Options {
  std::string id;
  std::string role;
  std::string client;
  std::string tenant;
  std::vector<std::string> event_types;
  Output output = Output::text;
};

int run_create(const Options& options) {
  JsonWriter json;
  json.object().member("role", options.role).member("client", options.client);
  if (!options.tenant.empty()) json.member("tenant", options.tenant);
  if (!options.event_types.empty()) {
    json.key("event_types").array();
    for (const std::string& type : options.event_types) json.value(type);
    json.end();
  }
  return show_object(call_server({.method = "POST", .target = "/v1/keys", .body = json.end().take()}), options.output);
}

void add_create(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("create", "make an API key; its text is shown now and never again");
  auto options = std::make_shared<Options>();
  command->add_option("ROLE", options->role, "producer, manager, reader or operator")->required();
  command
      ->add_option("CLIENT", options->client,
                   "the caller's stable name: idempotency keys belong to it and survive a change of the key")
      ->required();
  command->add_option("--tenant", options->tenant, "a tenant, or * for all (the tenant of your own key)");
  command->add_option("--event-types", options->event_types, "the only types or patterns a producer may send")
      ->delimiter(',');
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] { return run_create(*options); });
}

void add_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("list", "API keys, without their secrets");
  auto options = std::make_shared<Options>();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    return show_list(call_server({.target = "/v1/keys"}), options->output, "keys",
                     {{"ID", "id"},
                      {"ROLE", "role"},
                      {"CLIENT", "client"},
                      {"TENANT", "tenant"},
                      {"EVENT TYPES", "event_types"},
                      {"CREATED", "created_at"}});
  });
}

void add_delete(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("delete", "delete an API key; it opens nothing from then on");
  auto options = std::make_shared<Options>();
  command->add_option("ID", options->id, "the key's id, without its secret")->required();
  on_run(*command, exit_code, [options] {
    return show_done(call_server({.method = "DELETE", .target = "/v1/keys/" + percent_encode(options->id)}), "deleted");
  });
}

}  // namespace

void add_keys(CLI::App& root, int& exit_code) {
  CLI::App* group = root.add_subcommand("keys", "who may call this server");
  group->require_subcommand(1);
  add_create(*group, exit_code);
  add_list(*group, exit_code);
  add_delete(*group, exit_code);
}

}  // namespace semel::cli
