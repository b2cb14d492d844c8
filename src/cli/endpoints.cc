// endpoints.cc: semel endpoints create | list | show | delete.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/output.h"

namespace semel::cli {

namespace {

struct CreateOptions {
  std::string url;
  std::string ordering;
  std::string retry_policy;
  std::string client_errors;
  std::string secret;
  std::string signature;
  std::vector<std::string> event_types;
  std::optional<std::int64_t> timeout_ms;
  std::optional<std::int64_t> max_in_flight;
  Output output = Output::text;
};

void member_unless_empty(JsonWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.member(name, text);
}

// A policy's name, or an object with its members spelled out.
Result<void> append_policy(JsonWriter& json, const std::string& policy) {
  if (policy.empty()) return {};
  if (!policy.starts_with('{')) {
    json.member("retry_policy", policy);
    return {};
  }
  if (const Result<JsonDocument> document = parse_json(policy); !document)
    return fail(Fault::invalid, "--retry-policy: " + document.error().note);
  json.key("retry_policy").raw(policy);
  return {};
}

Result<std::string> body_of(const CreateOptions& options) {
  JsonWriter json;
  json.object().member("url", options.url);
  member_unless_empty(json, "ordering", options.ordering);
  member_unless_empty(json, "client_errors", options.client_errors);
  member_unless_empty(json, "secret", options.secret);
  member_unless_empty(json, "signature", options.signature);
  SEMEL_TRY_VOID(append_policy(json, options.retry_policy));
  json.member_if("timeout_ms", options.timeout_ms).member_if("max_in_flight", options.max_in_flight);
  if (!options.event_types.empty()) {
    json.key("event_types").array();
    for (const std::string& type : options.event_types) json.value(type);
    json.end();
  }
  return json.end().take();
}

int run_create(const CreateOptions& options) {
  Result<std::string> body = body_of(options);
  if (!body) return report(body.error());
  return show_object(call_server({.method = "POST", .target = "/v1/endpoints", .body = *std::move(body)}),
                     options.output);
}

void add_create(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("create", "make an endpoint; its secret is shown now and never again");
  auto options = std::make_shared<CreateOptions>();
  command->add_option("URL", options->url, "where its events are posted to")->required();
  command->add_option("--ordering", options->ordering, "none (default) or per-key");
  command->add_option("--event-types", options->event_types, "subscribe to these types or patterns, as shipment.*")
      ->delimiter(',');
  command->add_option("--retry-policy", options->retry_policy,
                      "standard (default), five-minutes, or an object as {\"base\":\"1s\",\"max_elapsed\":\"10m\"}");
  command->add_option("--client-errors", options->client_errors, "retry (default) or give_up on 4xx answers");
  command->add_option("--timeout-ms", options->timeout_ms, "for one attempt in all, 1000 to 30000 (15000)");
  command->add_option("--max-in-flight", options->max_in_flight, "attempts at the same time (16)");
  command->add_option("--secret", options->secret, "your own secret, whsec_.. or whsk_..");
  command->add_option("--signature", options->signature, "v1 (default) or v1a, when the secret is made");
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] { return run_create(*options); });
}

struct OneOptions {
  std::string id;
  Output output = Output::text;
};

void add_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("list", "all endpoints");
  auto options = std::make_shared<OneOptions>();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    return show_list(call_server({.target = "/v1/endpoints"}), options->output, "endpoints",
                     {{"ID", "id"},
                      {"URL", "url"},
                      {"ORDERING", "ordering"},
                      {"RETRY POLICY", "retry_policy"},
                      {"WAITS UNTIL", "waits_until"},
                      {"CREATED", "created_at"}});
  });
}

void add_show(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("show", "one endpoint");
  auto options = std::make_shared<OneOptions>();
  command->add_option("ID", options->id, "the endpoint's id")->required();
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] {
    return show_object(call_server({.target = "/v1/endpoints/" + percent_encode(options->id)}), options->output);
  });
}

void add_delete(CLI::App& group, int& exit_code) {
  CLI::App* command =
      group.add_subcommand("delete", "delete an endpoint: its open deliveries are cancelled, its secrets destroyed");
  auto options = std::make_shared<OneOptions>();
  command->add_option("ID", options->id, "the endpoint's id")->required();
  on_run(*command, exit_code, [options] {
    return show_done(call_server({.method = "DELETE", .target = "/v1/endpoints/" + percent_encode(options->id)}),
                     "deleted");
  });
}

}  // namespace

void add_endpoints(CLI::App& root, int& exit_code) {
  CLI::App* group = root.add_subcommand("endpoints", "where events are delivered to");
  group->require_subcommand(1);
  add_create(*group, exit_code);
  add_list(*group, exit_code);
  add_show(*group, exit_code);
  add_delete(*group, exit_code);
}

}  // namespace semel::cli
