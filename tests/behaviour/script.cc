// script.cc: reads a script line by line and drives the world. `at +30s` counts from the script's start.
#include "behaviour/script.h"

#include <charconv>
#include <functional>
#include <sstream>

#include "base/match.h"
#include "core/delivery/step.h"
#include "core/signature/signature.h"

namespace semel::behaviour {
namespace {

struct Line {
  std::string verb;
  std::vector<std::string> words;
  std::map<std::string, std::string> options;  // name=value
};

Line read_line(const std::string& text) {
  Line line;
  std::istringstream words(text);
  std::string word;
  words >> line.verb;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      line.words.push_back(word);
    else
      line.options[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return line;
}

constexpr const char* kSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

struct Failed {
  std::string what;
};

milliseconds duration(std::string text) {
  if (text.starts_with("+")) text.erase(0, 1);
  const Result<milliseconds> parsed = retry::parse_duration(text);
  if (!parsed) throw Failed{"not a duration: " + text};
  return *parsed;
}

class Run {
 public:
  explicit Run(const std::string& folder) : world_(folder), begin_(world_.wall()) {}

  void line(const Line& line) {
    static const std::map<std::string, void (Run::*)(const Line&)> kVerbs{
        {"endpoint", &Run::endpoint}, {"delete", &Run::remove}, {"send", &Run::send},
        {"answer", &Run::answer},     {"pass", &Run::pass},     {"restart", &Run::restart},
        {"disk", &Run::disk},         {"replay", &Run::replay}, {"expect", &Run::expect}};
    const auto verb = kVerbs.find(line.verb);
    if (verb == kVerbs.end()) throw Failed{"unknown line: " + line.verb};
    (this->*verb->second)(line);
  }

 private:
  // endpoint NAME [policy=JSON-or-name] [ordering=..] [client_errors=..] [max_in_flight=N]
  void endpoint(const Line& line) {
    JsonWriter json;
    json.object().member("url", "https://" + line.words.at(0) + ".example.com/hook");
    json.member("secret", kSecret).key("event_types");
    json.array().value("*").end();
    for (const auto& [name, value] : line.options) {
      if (name == "policy")
        json.key("retry_policy").raw(value.starts_with("{") ? value : "\"" + value + "\"");
      else if (name == "max_in_flight")
        json.key(name).raw(value);
      else
        json.member(name, value);
    }
    endpoints_[line.words.at(0)] = world_.add_endpoint(json.end().take());
  }

  void remove(const Line& line) { world_.remove_endpoint(endpoints_.at(line.words.at(0))); }

  // send TYPE [id=..] [ordering_key=..] [sequence=N] [correlation_id=..]
  void send(const Line& line) {
    JsonWriter json;
    json.object().member("type", line.words.at(0));
    for (const auto& [name, value] : line.options) {
      if (name == "sequence")
        json.key(name).raw(value);
      else
        json.member(name, value);
    }
    const store::IntakeAnswer answer = world_.send(json.key("data").object().end().end().take());
    if (!std::holds_alternative<store::Taken>(answer.items.at(0))) throw Failed{"the event was refused"};
  }

  // answer 200 [disposition=..] [retry-after=..] | answer cut | answer timeout | answer refused | answer stale
  void answer(const Line& line) {
    if (world_.requests().empty()) throw Failed{"nothing waits for an answer"};
    using Trouble = NoAnswer::Trouble;
    const std::string& what = line.words.at(0);
    if (what == "cut") return world_.answer(none(Trouble::connection_lost, true));
    if (what == "timeout") return world_.answer(none(Trouble::timed_out, true));
    if (what == "refused") return world_.answer(none(Trouble::connect, false));
    if (what == "stale") {
      NoAnswer stale = none(Trouble::connection_lost, true);
      stale.stale_connection = true;
      return world_.answer(stale);
    }
    Answer answer;
    answer.status = std::stoi(what);
    if (line.options.contains("disposition")) answer.disposition = line.options.at("disposition");
    if (line.options.contains("retry-after")) answer.retry_after = line.options.at("retry-after");
    if (line.options.contains("reason")) answer.body_excerpt = R"({"reason":")" + line.options.at("reason") + "\"}";
    world_.answer(answer);
  }

  static NoAnswer none(NoAnswer::Trouble trouble, bool byte_left) {
    return {.trouble = trouble, .request_byte_left = byte_left, .stale_connection = false, .note = {}};
  }

  void pass(const Line& line) { world_.pass(duration(line.words.at(0))); }
  void restart(const Line&) { world_.restart(); }

  // disk full | disk free
  void disk(const Line& line) {
    if (line.words.at(0) == "full") return world_.fill_disk();
    if (line.words.at(0) == "free") return world_.free_disk();
    throw Failed{"a disk is full or free"};
  }

  // replay EVENT ENDPOINT [gives=opened|already_open|would_break_order|endpoint_gone]
  void replay(const Line& line) {
    static const std::map<engine::ReplayOutcome, std::string> kNames{
        {engine::ReplayOutcome::opened, "opened"},
        {engine::ReplayOutcome::already_open, "already_open"},
        {engine::ReplayOutcome::would_break_order, "would_break_order"},
        {engine::ReplayOutcome::endpoint_gone, "endpoint_gone"}};
    const std::string outcome = kNames.at(world_.replay(delivery_id(line, 0)));
    const std::string expected = line.options.contains("gives") ? line.options.at("gives") : "opened";
    equal("replay", outcome, expected);
  }

  void expect(const Line& line) {
    const std::string& what = line.words.at(0);
    if (what == "attempt") return expect_attempt(line);
    if (what == "nothing") return expect_nothing(line);
    if (what == "outcomes") return expect_outcomes(line);
    expect_state(line);
  }

  // expect attempt ENDPOINT EVENT #N [at +TIME]: the oldest open request is this one; time passes up to it.
  void expect_attempt(const Line& line) {
    world_.pass(milliseconds(0));
    if (line.words.size() > 5 && line.words.at(4) == "at") {
      const WallTime at = begin_ + duration(line.words.at(5));
      if (world_.wall() > at) throw Failed{"that time has passed"};
      if (world_.requests().empty() && world_.wall() < at) {
        world_.pass(at - world_.wall() - milliseconds(1));
        if (!world_.requests().empty()) throw Failed{"it left earlier, at +" + since_begin()};
        world_.pass(milliseconds(1));
      }
    }
    if (world_.requests().empty()) throw Failed{"no request left"};
    const SealedRequest& request = world_.requests().front().request;
    equal("endpoint", request.url.host, line.words.at(1) + ".example.com");
    contains("event", request.headers, "webhook-id: " + line.words.at(2) + "\r\n");
    contains("attempt", request.headers, "semel-attempt: " + line.words.at(3).substr(1) + "\r\n");
    expect_signed_now(world_.requests().front());
    std::string& first_body = bodies_[line.words.at(2)];
    const std::string envelope = request.body.substr(0, request.body.find(",\"delivery\":"));
    if (first_body.empty()) first_body = envelope;
    equal("envelope bytes", envelope, first_body);
    if (line.options.contains("after")) contains("after", request.body, "\"after\":" + line.options.at("after") + "}");
    if (line.options.contains("round")) contains("round", request.body, "\"round\":" + line.options.at("round"));
  }

  // Every attempt, the first and each retry, carries the moment it leaves at and a signature made for it.
  static void expect_signed_now(const OpenRequest& open) {
    const std::string& headers = open.request.headers;
    equal("timestamp", header_of(headers, "webhook-timestamp"), signature::format_timestamp(open.at));
    const auto rejection = signature::verify({*signature::parse_verifier_key(kSecret)},
                                             {header_of(headers, "webhook-id"), header_of(headers, "webhook-timestamp"),
                                              header_of(headers, "webhook-signature")},
                                             open.request.body, open.at);
    if (rejection) throw Failed{std::string("signature: ") + signature::name_of(*rejection)};
  }

  static std::string header_of(const std::string& headers, const std::string& name) {
    const std::size_t begin = headers.find(name + ": ") + name.size() + 2;
    return headers.substr(begin, headers.find("\r\n", begin) - begin);
  }

  // expect nothing [for TIME]: no request leaves.
  void expect_nothing(const Line& line) {
    world_.pass(milliseconds(0));
    if (!world_.requests().empty()) throw Failed{"a request has left"};
    if (line.words.size() > 2) world_.pass(duration(line.words.at(2)));
    if (!world_.requests().empty()) throw Failed{"a request left at +" + since_begin()};
  }

  // expect outcomes EVENT ENDPOINT unknown:lapsed delivered:status_200 ..: of all attempts, in order
  void expect_outcomes(const Line& line) {
    std::string expected;
    for (std::size_t i = 3; i < line.words.size(); ++i) expected += line.words[i] + " ";
    std::string found;
    for (const store::AttemptView& attempt : world_.attempts(delivery_id(line, 1))) {
      if (attempt.outcomes.empty()) found += "none ";
      for (const store::OutcomeView& outcome : attempt.outcomes)
        found += std::string(outcome.late ? "late-" : "") + outcome.result + ":" + outcome.reason + " ";
    }
    equal("outcomes", found, expected);
  }

  // expect delivered|dead|due|unknown|parked|cancelled|in_flight EVENT ENDPOINT [attempts=N] [reason=..] [doubt=yes|no]
  void expect_state(const Line& line) {
    world_.pass(milliseconds(0));
    const store::DeliveryView view = world_.show(delivery_id(line, 1));
    const bool blocked = view.blocked_by.has_value();
    equal("state", blocked ? "blocked" : delivery::name_of(delivery::name_of(view.state)), line.words.at(0));
    for (const auto& [name, value] : line.options) {
      if (name == "attempts")
        equal(name, std::to_string(view.record.attempts), value);
      else if (name == "round")
        equal(name, std::to_string(view.record.round), value);
      else if (name == "reason")
        equal(name, reason_of(view.state), value);
      else if (name == "doubt")
        equal(name, delivery::may_have_happened(view.state, view.record) ? "yes" : "no", value);
      else
        throw Failed{"unknown option " + name};
    }
  }

  static std::string reason_of(const delivery::State& state) {
    if (const auto* dead = std::get_if<delivery::Dead>(&state)) return dead->reason;
    if (const auto* cancelled = std::get_if<delivery::Cancelled>(&state)) return cancelled->reason;
    return "none";
  }

  DeliveryId delivery_id(const Line& line, std::size_t at) {
    return {EventId{line.words.at(at)}, endpoints_.at(line.words.at(at + 1))};
  }

  std::string since_begin() const { return std::to_string((world_.wall() - begin_).count()) + "ms"; }

  static void equal(const std::string& what, const std::string& found, const std::string& expected) {
    if (found != expected) throw Failed{what + " is '" + found + "', expected '" + expected + "'"};
  }
  static void contains(const std::string& what, const std::string& text, const std::string& part) {
    if (text.find(part) == std::string::npos) throw Failed{what + ": '" + part + "' is not in '" + text + "'"};
  }

  World world_;
  WallTime begin_;
  std::map<std::string, EndpointId> endpoints_;
  std::map<std::string, std::string> bodies_;
};

}  // namespace

std::string run_script(const std::string& text, const std::string& folder) {
  Run run(folder);
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.starts_with("#")) continue;
    try {
      run.line(read_line(line));
    } catch (const Failed& failed) {
      return "line " + std::to_string(number) + " '" + line + "': " + failed.what;
    } catch (const std::exception& error) {
      return "line " + std::to_string(number) + " '" + line + "': " + error.what();
    }
  }
  return {};
}

}  // namespace semel::behaviour
