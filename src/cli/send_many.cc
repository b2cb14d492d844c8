// send_many.cc: lines into requests, answers into lines, and how far it has got.
#include "cli/send_many.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <vector>

#include "base/bytes.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/submitter.h"

namespace semel::cli {

namespace {

constexpr std::size_t kIdShownMax = 64;

struct Line {
  std::size_t number;
  std::string text;
};

struct Counts {
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
};

class Sending {
 public:
  Sending(const SendMany& plan, std::istream& in)
      : plan_(plan),
        in_(in),
        client_(server_from_environment()),
        submitter_(client_, plan.patience, [this](const std::string& why) { show_progress(why); }),
        started_(client_.clock().now()) {}

  int run() {
    int exit_code = exit_ok;
    while (exit_code == exit_ok) {
      std::vector<Line> lines;
      const int unread = read_lines(lines);
      if (!lines.empty()) exit_code = plan_.batch == 1 ? send_line(lines.front()) : send_batch(lines);
      if (exit_code == exit_ok) exit_code = unread;
      if (lines.empty()) break;
      show_progress("");
    }
    progress_.clear();
    fmt::print(stderr, "accepted {}, of them {} known before; {} tries repeated; {:.1f} s\n", counts_.accepted,
               counts_.duplicates, submitter_.retries(), seconds());
    return exit_code;
  }

 private:
  // Up to one request's worth of lines that are JSON; blank ones are passed over.
  int read_lines(std::vector<Line>& lines) {
    std::string text;
    while (lines.size() < plan_.batch && std::getline(in_, text)) {
      ++line_number_;
      if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
      if (const Result<JsonDocument> document = parse_json(text); !document)
        return refused(line_number_, [&] { return report(Error{Fault::invalid, document.error().note}); });
      lines.push_back({.number = line_number_, .text = std::move(text)});
    }
    return exit_ok;
  }

  int send_line(const Line& line) {
    const Result<http::SimpleAnswer> answer = submitter_.submit(
        {.target = "/v1/events", .body = line.text, .idempotency_key = submitter_.make_idempotency_key()});
    if (!answer) return refused(line.number, [&] { return report(answer.error()); });
    if (answer->status != 202) return refused(line.number, [&] { return report(*answer); });
    const Result<JsonDocument> document = parse_json(answer->body);
    if (!document) return report(Error{Fault::corrupt, "the server's answer is no JSON"});
    accepted(document->root());
    return exit_ok;
  }

  int send_batch(const std::vector<Line>& lines) {
    std::string body = "{\"events\":[";
    for (const Line& line : lines) body.append(&line == &lines.front() ? "" : ",").append(line.text);
    const Result<http::SimpleAnswer> answer = submitter_.submit(
        {.target = "/v1/events/batch", .body = body + "]}", .idempotency_key = submitter_.make_idempotency_key()});
    if (!answer) return refused(lines.front().number, [&] { return report(answer.error()); });
    if (answer->status != 200) return refused(lines.front().number, [&] { return report(*answer); });
    return take_results(lines, *answer);
  }

  int take_results(const std::vector<Line>& lines, const http::SimpleAnswer& answer) {
    const Result<JsonDocument> document = parse_json(answer.body);
    const std::optional<JsonValue> results =
        document && document->root().kind() == JsonKind::object ? document->root().find("results") : std::nullopt;
    if (!results || results->kind() != JsonKind::array || results->size() != lines.size())
      return report(Error{Fault::corrupt, "the server's answer does not fit the batch"});
    int exit_code = exit_ok;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const int item = take_result(lines[i], results->at(i));
      if (exit_code == exit_ok) exit_code = item;
    }
    return exit_code;
  }

  int take_result(const Line& line, const JsonValue& result) {
    const std::optional<JsonValue> status = result.find("status");
    if (status && status->integer() == 202) {
      accepted(result);
      return exit_ok;
    }
    http::SimpleAnswer item;
    item.status = status ? static_cast<int>(status->integer().value_or(500)) : 500;
    item.body = result.raw();
    return refused(line.number, [&] { return report(item); });
  }

  template <class Report>
  int refused(std::size_t line, Report tell) {
    progress_.clear();
    fmt::print(stderr, "line {}:\n", line);
    return tell();
  }

  void accepted(const JsonValue& answer) {
    ++counts_.accepted;
    if (const std::optional<JsonValue> duplicate = answer.find("duplicate"); duplicate && duplicate->raw() == "true")
      ++counts_.duplicates;
    progress_.clear();
    fmt::print("{}\n", plan_.output == Output::json ? std::string(answer.raw()) : accepted_line(answer));
  }

  double seconds() { return static_cast<double>((client_.clock().now() - started_).count()) / 1e9; }

  void show_progress(const std::string& why) {
    progress_.show(fmt::format("{} accepted, {:.0f}/s, {} tries repeated{}{}", counts_.accepted,
                               static_cast<double>(counts_.accepted) / std::max(seconds(), 0.001), submitter_.retries(),
                               why.empty() ? "" : ": ", why));
  }

  const SendMany& plan_;
  std::istream& in_;
  ApiClient client_;
  Submitter submitter_;
  MonotonicTime started_;
  ProgressLine progress_;
  Counts counts_;
  std::size_t line_number_ = 0;
};

}  // namespace

std::string accepted_line(const JsonValue& accepted) {
  if (accepted.kind() != JsonKind::object) return "?";
  const std::optional<JsonValue> id = accepted.find("id");
  const std::optional<JsonValue> sequence = accepted.find("sequence");
  std::string line = id ? printable(id->text(), kIdShownMax) : "?";
  if (sequence) line.append(" ").append(sequence->text());
  return line;
}

int send_many(const SendMany& plan) {
  if (plan.file == "-") return Sending(plan, std::cin).run();
  std::ifstream file(plan.file, std::ios::binary);
  if (!file) return report(Error{Fault::not_found, plan.file + ": cannot be opened"});
  return Sending(plan, file).run();
}

}  // namespace semel::cli
