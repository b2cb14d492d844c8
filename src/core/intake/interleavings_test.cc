// interleavings_test.cc: over any order of submissions, retries, duplicates and changes of routing, lines have no
// holes, chains of `after` no breaks, and a request that was accepted gets the same answer for ever.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "core/intake/item_of.h"
#include "core/intake/memory_view.h"

namespace semel::intake {
namespace {

// One request. Few values of each member, so that keys, ids, contents and numbers meet often.
struct Request {
  int key;       // 0: none
  int id;        // 0: none
  int line;      // 0: none; 1 and 2: numbered by Semel; 3: numbered by its producer, mostly
  int sequence;  // 0: none
  int data;
  auto operator<=>(const Request&) const = default;
};

// Turns one endpoint's subscription to everything on or off.
struct Toggle {
  int endpoint;
};

using Step = std::variant<Request, Toggle>;

std::string json_of(const Request& request) {
  std::string json = R"({"type":"a","data":)" + std::to_string(request.data);
  if (request.id != 0) json += R"(,"id":"id-)" + std::to_string(request.id) + "\"";
  if (request.line != 0) json += R"(,"ordering_key":"line-)" + std::to_string(request.line) + "\"";
  if (request.line != 0 && request.sequence != 0) json += R"(,"sequence":)" + std::to_string(request.sequence);
  return json + "}";
}

rc::Gen<Request> a_request() {
  const auto any_below = [](int bound) { return rc::gen::inRange(0, bound); };
  const auto request = rc::gen::build<Request>(
      rc::gen::set(&Request::key, any_below(5)), rc::gen::set(&Request::id, any_below(6)),
      rc::gen::set(&Request::line, any_below(4)), rc::gen::set(&Request::sequence, any_below(5)),
      rc::gen::set(&Request::data, any_below(2)));
  return rc::gen::map(request, [](Request made) {
    const bool mistaken = made.data == 1 && made.id == 1;
    if ((made.line == 1 || made.line == 2) && !mistaken) made.sequence = 0;
    return made;
  });
}

rc::Gen<std::vector<Step>> any_steps() {
  const auto request = rc::gen::map(a_request(), [](Request made) { return Step(made); });
  const auto toggle = rc::gen::map(rc::gen::inRange(1, 4), [](int endpoint) { return Step(Toggle{endpoint}); });
  return rc::gen::scale(
      3.0, rc::gen::container<std::vector<Step>>(rc::gen::weightedOneOf<Step>({{9, request}, {1, toggle}})));
}

// What a producer can tell apart about an acceptance.
struct Answer {
  std::string id;
  std::optional<Sequence> sequence;
  WallTime accepted_at;
  std::vector<EndpointId> endpoints;
  auto operator<=>(const Answer&) const = default;
};

struct History {
  MemoryView view;
  std::map<int, bool> subscribed;
  std::int64_t now = 0;
  std::map<Request, Answer> answers;             // of requests that named a key or an id
  std::map<Request, bool> duplicate_by_request;  // the member `duplicate` of the first answer of keyed requests

  void take(const Toggle& toggle) {
    subscribed[toggle.endpoint] = !subscribed[toggle.endpoint];
    view.table.subscriptions.clear();
    for (const auto& [endpoint, on] : subscribed)
      if (on) view.table.subscriptions.push_back({.endpoint = {endpoint}, .patterns = {"*"}});
  }

  void take(const Request& request) {
    ++now;
    ItemOptions options{
        .idempotency_key = std::nullopt, .fresh_id = "evt_" + std::to_string(now), .accepted_at = {now}};
    if (request.key != 0) options.idempotency_key = "key-" + std::to_string(request.key);
    const std::size_t stored = view.events.size();
    const Decision decision = view.submit(item_of(json_of(request), options));
    match(
        decision,
        [&](const Accept&) {
          RC_ASSERT(view.events.size() == stored + 1);
          note(request, view.events.back(), false);
        },
        [&](const Replay& replay) {
          RC_ASSERT(view.events.size() == stored);
          note(request, replay.event, replay.duplicate);
        },
        [&](const Refuse&) {
          RC_ASSERT(view.events.size() == stored);
          RC_ASSERT(!answers.contains(request));
        });
  }

  void note(const Request& request, const StoredEvent& event, bool duplicate) {
    if (request.key == 0 && request.id == 0) return;
    const Answer answer{event.id.text, event.sequence, event.accepted_at, event.endpoints};
    const auto [known, is_first] = answers.try_emplace(request, answer);
    RC_ASSERT(known->second == answer);
    if (request.key == 0) {
      RC_ASSERT(duplicate || is_first);
      return;
    }
    RC_ASSERT(duplicate_by_request.try_emplace(request, duplicate).first->second == duplicate);
  }
};

std::string member_of(const std::string& envelope, std::string_view name) {
  const JsonDocument document = *parse_json(envelope);
  const auto value = document.root().find(name);
  return value ? std::string(value->text()) : "";
}

RC_GTEST_PROP(AnyInterleaving, leaves_no_hole_no_broken_chain_and_one_answer_per_request, ()) {
  History history;
  const std::vector<Step> steps = *any_steps();
  for (const Step& step : steps) match(step, [&](const auto& each) { history.take(each); });

  std::map<std::string, Sequence> last_of_line;
  std::set<EventId> ids;
  std::vector<std::string> line_of_event;
  for (std::size_t i = 0; i < history.view.events.size(); ++i) {
    const StoredEvent& event = history.view.events[i];
    RC_ASSERT(ids.insert(event.id).second);
    line_of_event.push_back(member_of(history.view.envelopes[i], "ordering_key"));
    RC_ASSERT(event.sequence.has_value() == !line_of_event.back().empty());
    if (event.sequence) RC_ASSERT(*event.sequence == ++last_of_line[line_of_event.back()]);
  }

  std::map<std::pair<EndpointKey, std::string>, Sequence> last_of_chain;
  for (const MemoryView::Delivery& delivery : history.view.deliveries) {
    RC_ASSERT(delivery.after.has_value() == delivery.sequence.has_value());
    if (!delivery.sequence) continue;
    const std::string& line = line_of_event.at(static_cast<std::size_t>(delivery.event.value) - 1);
    Sequence& last = last_of_chain[{delivery.endpoint, line}];
    RC_ASSERT(*delivery.after == last);
    last = *delivery.sequence;
  }
}

}  // namespace
}  // namespace semel::intake
