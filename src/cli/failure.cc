// failure.cc: the ways out, by fault and by status.
#include "cli/failure.h"

#include <fmt/format.h>

#include <optional>

#include "base/bytes.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "http/simple_client.h"

namespace semel::cli {

namespace {

constexpr std::size_t kShownMax = 600;

std::string way_out(Recourse recourse) {
  switch (recourse) {
    case Recourse::fix_request:
      return "";
    case Recourse::reread:
      return "look at it again, then decide again";
    case Recourse::wait_and_retry:
      return "nothing happened; the same again later may succeed";
    case Recourse::ask_then_retry:
      return "it may have happened; look before you do it again";
    case Recourse::give_up:
      return "";
    case Recourse::call_operator:
      return "the store needs an operator; `semel doctor` says what to look at";
  }
  std::unreachable();
}

std::string way_out(int status) {
  switch (status) {
    case 401:
      return "set SEMEL_KEY to an API key; the operator's was shown, or written to STORE_FILE.admin-key, at the first "
             "start";
    case 403:
      return "use a key whose role, tenant and event types allow this; `semel keys list` shows them";
    case 404:
      return "ids come from `list`; a key of another tenant does not see them";
    case 429:
    case 503:
      return "the server says to come back later";
    default:
      return "";
  }
}

std::string way_out(const http::SimpleAnswer& answer) {
  if (answer.body.find("\"DESTINATION_DENIED\"") != std::string::npos)
    return "the operator opens private addresses and other ports: `semel serve --allow-destination 127.0.0.1/32:8080`";
  return way_out(answer.status);
}

bool is_in_doubt(const http::SimpleAnswer& answer) {
  return answer.status == 503 && answer.body.find("\"OUTCOME_UNKNOWN\"") != std::string::npos;
}

std::optional<std::string> text_member(const JsonValue& object, std::string_view name) {
  if (object.kind() != JsonKind::object) return std::nullopt;
  const std::optional<JsonValue> member = object.find(name);
  if (!member || member->kind() != JsonKind::string) return std::nullopt;
  return printable(member->text(), kShownMax);
}

void print(std::string_view what, const std::string& hint) {
  fmt::print(stderr, "semel: {}\n", what);
  if (!hint.empty()) fmt::print(stderr, "       {}\n", hint);
}

}  // namespace

std::string describe(const http::SimpleAnswer& answer) {
  const Result<JsonDocument> document = parse_json(answer.body);
  if (!document) return fmt::format("the server answered {}", answer.status);
  const JsonValue problem = document->root();
  const std::optional<std::string> code = text_member(problem, "code");
  if (!code) return fmt::format("the server answered {}", answer.status);
  std::string text = fmt::format("{}: {}", *code, text_member(problem, "detail").value_or(""));
  if (const auto member = text_member(problem, "member")) text += fmt::format(" (member {})", *member);
  if (const std::optional<JsonValue> expected = problem.find("expected"))
    text += fmt::format(" (expected {})", printable(expected->raw(), kShownMax));
  return text;
}

int report(const Error& error) {
  print(error.note, way_out(recourse(error.fault)));
  return exit_code_of(error.fault);
}

int report(const http::SimpleAnswer& answer) {
  if (is_in_doubt(answer)) {
    print(describe(answer), way_out(Recourse::ask_then_retry));
    return exit_unknown_outcome;
  }
  print(describe(answer), way_out(answer));
  return exit_code_of_status(answer.status);
}

}  // namespace semel::cli
