// output.cc: tables, indented objects, raw JSON.
#include "cli/output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/exit_code.h"
#include "cli/failure.h"

namespace semel::cli {

namespace {

bool is_success(const http::SimpleAnswer& answer) { return answer.status >= 200 && answer.status < 300; }

// Shows what `show` makes of the parsed body of a success, or the body itself as JSON.
int show(const Result<http::SimpleAnswer>& answer, Output output,
         const std::function<int(const JsonValue&)>& show_body) {
  if (!answer) return report(answer.error());
  if (!is_success(*answer)) return report(*answer);
  const Result<JsonDocument> document = parse_json(answer->body);
  if (!document) return report(Error{Fault::corrupt, "the server's answer is no JSON; is SEMEL_URL a semel server?"});
  if (output == Output::text) return show_body(document->root());
  fmt::print("{}\n", answer->body);
  return exit_ok;
}

}  // namespace

void add_json_flag(CLI::App& command, Output& output) {
  command.add_flag_callback("--json", [&output] { output = Output::json; }, "print JSON, for programs");
}

int show_list(const Result<http::SimpleAnswer>& answer, Output output, std::string_view name,
              const std::vector<Column>& columns) {
  return show(answer, output, [&](const JsonValue& root) -> int {
    const std::optional<JsonValue> rows = root.kind() == JsonKind::object ? root.find(name) : std::nullopt;
    if (!rows || rows->kind() != JsonKind::array)
      return report(Error{Fault::corrupt, "the server's answer is not the list it should be"});
    fmt::print("{}", table(*rows, columns));
    if (const std::optional<JsonValue> next = root.find("next_cursor"))
      fmt::print(stderr, "more: --cursor {}\n", next->text());
    return exit_ok;
  });
}

int show_object(const Result<http::SimpleAnswer>& answer, Output output) {
  return show(answer, output, [](const JsonValue& root) -> int {
    fmt::print("{}", indented(root));
    return exit_ok;
  });
}

int show_done(const Result<http::SimpleAnswer>& answer, std::string_view done) {
  if (!answer) return report(answer.error());
  if (!is_success(*answer)) return report(*answer);
  fmt::print("{}\n", done);
  return exit_ok;
}

Result<http::SimpleAnswer> call_server(ApiRequest request) {
  ApiClient client(server_from_environment());
  return client.call(std::move(request));
}

void on_run(CLI::App& command, int& exit_code, std::function<int()> act) {
  command.callback([&exit_code, act = std::move(act)] { exit_code = act(); });
}

}  // namespace semel::cli
