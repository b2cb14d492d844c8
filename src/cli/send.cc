// send.cc: semel send: one event from flags, or many from a file.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "cli/send_many.h"
#include "cli/submitter.h"

namespace semel::cli {

namespace {

constexpr std::size_t kDataBytesMax = 1024 * 1024;

struct Options {
  std::string type;
  std::string data;
  std::string id;
  std::string ordering_key;
  std::optional<std::uint64_t> sequence;
  bool sequence_start = false;
  std::string correlation_id;
  std::string causation_id;
  std::string source;
  std::string schema_version;
  std::optional<std::uint64_t> entity_version;
  std::string occurred_at;
  std::string idempotency_key;
  std::string file;
  std::size_t batch = 1;
  std::int64_t patience_s = 30;
  Output output = Output::text;
};

Result<std::string> read_whole(std::istream& in, std::string_view name) {
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return fail(Fault::unavailable, fmt::format("{}: cannot be read", name));
  if (bytes.size() > kDataBytesMax) return fail(Fault::invalid, fmt::format("{}: over 1 MiB", name));
  return bytes;
}

// The text itself, @FILE, or - for standard input.
Result<std::string> read_data(const std::string& given) {
  if (given == "-") return read_whole(std::cin, "standard input");
  if (!given.starts_with('@')) return given;
  std::ifstream file(given.substr(1), std::ios::binary);
  if (!file) return fail(Fault::not_found, given.substr(1) + ": cannot be opened");
  return read_whole(file, given.substr(1));
}

void member_unless_empty(JsonWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.member(name, text);
}

Result<std::string> body_of(const Options& options) {
  if (options.data.empty()) return fail(Fault::invalid, "--data is required: JSON, @FILE, or - for standard input");
  SEMEL_TRY(data, read_data(options.data));
  if (const Result<JsonDocument> document = parse_json(data); !document)
    return fail(Fault::invalid, "--data is no JSON: " + document.error().note);
  JsonWriter json;
  json.object().member("type", options.type);
  member_unless_empty(json, "id", options.id);
  member_unless_empty(json, "schema_version", options.schema_version);
  member_unless_empty(json, "source", options.source);
  member_unless_empty(json, "ordering_key", options.ordering_key);
  json.member_if("sequence", options.sequence);
  if (options.sequence_start) json.member("sequence_start", true);
  member_unless_empty(json, "correlation_id", options.correlation_id);
  member_unless_empty(json, "causation_id", options.causation_id);
  json.member_if("entity_version", options.entity_version);
  member_unless_empty(json, "occurred_at", options.occurred_at);
  return json.key("data").raw(data).end().take();
}

int show_accepted(const http::SimpleAnswer& answer, Output output) {
  const Result<JsonDocument> document = parse_json(answer.body);
  if (!document) return report(Error{Fault::corrupt, "the server's answer is no JSON; is SEMEL_URL a semel server?"});
  if (output == Output::json) {
    fmt::print("{}\n", answer.body);
  } else {
    fmt::print("{}\n", accepted_line(document->root()));
  }
  return exit_ok;
}

int send_one(const Options& options) {
  Result<std::string> body = body_of(options);
  if (!body) return report(body.error());
  ApiClient client(server_from_environment());
  ProgressLine progress;
  Submitter submitter(client, std::chrono::seconds(options.patience_s),
                      [&](const std::string& why) { progress.show("trying again: " + why); });
  const std::string key = options.idempotency_key.empty() ? submitter.make_idempotency_key() : options.idempotency_key;
  const Result<http::SimpleAnswer> answer =
      submitter.submit({.target = "/v1/events", .body = *std::move(body), .idempotency_key = key});
  progress.clear();
  if (!answer) return report(answer.error());
  return answer->status == 202 ? show_accepted(*answer, options.output) : report(*answer);
}

bool says_more_than_type(const Options& options) {
  for (const std::string* text :
       {&options.data, &options.id, &options.schema_version, &options.source, &options.ordering_key,
        &options.correlation_id, &options.causation_id, &options.occurred_at, &options.idempotency_key})
    if (!text->empty()) return true;
  return options.sequence || options.entity_version || options.sequence_start;
}

int run_send(const Options& options) {
  if (options.file.empty() == options.type.empty())
    return report(Error{Fault::invalid, "name an event with --type and --data, or a file of events with --file"});
  if (options.file.empty()) return send_one(options);
  if (says_more_than_type(options))
    return report(Error{Fault::invalid,
                        "with --file each line says all about its event; options about one event do not "
                        "go with it. Lines with an id can be sent again"});
  return send_many({.file = options.file,
                    .batch = options.batch,
                    .patience = std::chrono::seconds(options.patience_s),
                    .output = options.output});
}

void add_event_options(CLI::App& command, Options& options) {
  command.add_option("--type", options.type, "the event's type, as shipment.created");
  command.add_option("--data", options.data, "its data: JSON, @FILE, or - for standard input");
  command.add_option("--id", options.id, "your own event id (one is made otherwise)");
  command.add_option("--ordering-key", options.ordering_key, "events of one key are delivered in order");
  command.add_option("--sequence", options.sequence, "your own number within the ordering key");
  command.add_flag("--sequence-start", options.sequence_start, "the ordering key may begin with this number");
  command.add_option("--correlation-id", options.correlation_id, "for tracing only");
  command.add_option("--causation-id", options.causation_id, "for tracing only");
  command.add_option("--source", options.source, "who says so");
  command.add_option("--schema-version", options.schema_version, "of the data");
  command.add_option("--entity-version", options.entity_version, "of the thing the event is about");
  command.add_option("--occurred-at", options.occurred_at, "when it happened, RFC 3339 (the time of acceptance)");
  command.add_option("--idempotency-key", options.idempotency_key, "your own key (one is made otherwise)");
}

}  // namespace

void add_send(CLI::App& root, int& exit_code) {
  CLI::App* command = root.add_subcommand("send", "hand in events; prints id and sequence of each accepted one");
  auto options = std::make_shared<Options>();
  add_event_options(*command, *options);
  command->add_option("--file", options->file, "many events: one JSON object a line, - for standard input");
  command->add_option("--batch", options->batch, "lines of --file per request (1)")->check(CLI::Range(1, 500));
  command->add_option("--retry-for", options->patience_s, "seconds to keep trying while the server cannot take it (30)")
      ->check(CLI::Range(0, 86'400));
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] { return run_send(*options); });
}

}  // namespace semel::cli
