// output.h: answers of the server, shown to a person or passed on as JSON. Each returns the exit code.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/api_client.h"
#include "cli/terminal.h"

namespace CLI {
class App;
}

namespace semel::cli {

enum class Output { text, json };

// --json
void add_json_flag(CLI::App& command, Output& output);

// {NAME:[..]}: a table of these columns, and how to get the next page.
int show_list(const Result<http::SimpleAnswer>& answer, Output output, std::string_view name,
              const std::vector<Column>& columns);
// One object: indented.
int show_object(const Result<http::SimpleAnswer>& answer, Output output);
// A success without content: says `done`.
int show_done(const Result<http::SimpleAnswer>& answer, std::string_view done);

// One request to the server of the environment.
Result<http::SimpleAnswer> call_server(ApiRequest request);

// A sub-command that, when it runs, sets the exit code to what `act` returns.
void on_run(CLI::App& command, int& exit_code, std::function<int()> act);

}  // namespace semel::cli
