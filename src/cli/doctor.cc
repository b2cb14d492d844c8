// doctor.cc: semel doctor: looks at everything a server needs and says what to do about what is wrong. Changes nothing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "cli/serve_options.h"

namespace semel::cli {

namespace {

struct Options {
  ServeOptions serve;
  Output output = Output::text;
};

const char* name_of(Finding::Verdict verdict) {
  switch (verdict) {
    case Finding::Verdict::good:
      return "ok";
    case Finding::Verdict::note:
      return "note";
    case Finding::Verdict::bad:
      return "BAD";
  }
  std::unreachable();
}

void print_text(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    fmt::print("{:<5}{:<12}{}\n", name_of(finding.verdict), finding.subject, finding.text);
    if (!finding.advice.empty()) fmt::print("{:<17}{}\n", "", finding.advice);
  }
}

void print_json(const std::vector<Finding>& findings) {
  JsonWriter json;
  json.object().key("findings").array();
  for (const Finding& finding : findings) {
    json.object()
        .member("subject", finding.subject)
        .member("verdict", name_of(finding.verdict))
        .member("text", finding.text);
    if (!finding.advice.empty()) json.member("advice", finding.advice);
    json.end();
  }
  fmt::print("{}\n", json.end().end().take());
}

int run_doctor(const Options& options) {
  const Result<app::Config> config = config_of(options.serve);
  if (!config) return report(config.error());
  const std::vector<Finding> findings = check_everything(*config);
  if (options.output == Output::json) {
    print_json(findings);
  } else {
    print_text(findings);
  }
  for (const Finding& finding : findings)
    if (finding.verdict == Finding::Verdict::bad) return exit_failed;
  return exit_ok;
}

}  // namespace

void add_doctor(CLI::App& root, int& exit_code) {
  CLI::App* command = root.add_subcommand(
      "doctor", "look at libraries, store, master key, clock, egress and listener; 1 if one is bad");
  auto options = std::make_shared<Options>();
  add_serve_options(*command, options->serve);
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] { return run_doctor(*options); });
}

}  // namespace semel::cli
