// decide_property_test.cc: what producers may rely on when they repeat a request, whatever others send in between.
//
// Two of the five properties that seed 004 section 232 asks for: one logical create makes at most one event, and a key
// never gets the result of another content. interleavings_test.cc has the lines, the chains and the lasting answers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "core/intake/item_of.h"
#include "core/intake/memory_view.h"

namespace semel::intake {
namespace {

// What a producer wants to happen once. It sends it as often as it likes, each time with the same key or the same id or
// both, since it does not know what became of the times before.
struct Create {
  int number;
  bool with_key;
  bool with_id;
  int line;  // 0: none
};

std::string json_of(const Create& create, int content) {
  std::string json = R"({"type":"a","data":)" + std::to_string(content);
  if (create.with_id) json += R"(,"id":"id-)" + std::to_string(create.number) + "\"";
  if (create.line != 0) json += R"(,"ordering_key":"line-)" + std::to_string(create.line) + "\"";
  return json + "}";
}

rc::Gen<Create> any_create() {
  return rc::gen::exec([] {
    Create create{.number = *rc::gen::element(0, 1, 2, 3, 4, 5),
                  .with_key = true,
                  .with_id = true,
                  .line = *rc::gen::element(0, 1, 2)};
    const int names = *rc::gen::element(0, 1, 2);
    create.with_key = names != 0;
    create.with_id = names != 1;
    return create;
  });
}

// The names of a create are its number's, so the same number always names and says the same.
rc::Gen<std::vector<Create>> any_creates() {
  return rc::gen::exec([] {
    std::map<int, Create> shapes;
    std::vector<Create> sent = *rc::gen::scale(2.0, rc::gen::container<std::vector<Create>>(any_create()));
    for (Create& create : sent) create = shapes.try_emplace(create.number, create).first->second;
    return sent;
  });
}

rc::Gen<bool> one_in(std::size_t n) { return rc::gen::weightedElement<bool>({{n - 1, false}, {1, true}}); }

struct Shop {
  MemoryView view;
  std::int64_t sent = 0;

  Shop() { view.table.subscriptions = {{.endpoint = {1}, .patterns = {"*"}}}; }

  Decision send(const Create& create, int content) {
    ++sent;
    ItemOptions options{
        .idempotency_key = std::nullopt, .fresh_id = "evt_" + std::to_string(sent), .accepted_at = {sent}};
    if (create.with_key) options.idempotency_key = "key-" + std::to_string(create.number);
    return view.submit(item_of(json_of(create, content), options));
  }

  // The endpoints of tests come and go, as they do between the repetitions of a request.
  void change_routing() {
    if (view.table.subscriptions.empty()) {
      view.table.subscriptions = {{.endpoint = {1}, .patterns = {"*"}}};
    } else {
      view.table.subscriptions.clear();
    }
  }
};

const StoredEvent* answered(const Decision& decision, const MemoryView& view) {
  if (std::holds_alternative<Accept>(decision)) return &view.events.back();
  const auto* replay = std::get_if<Replay>(&decision);
  return replay ? &replay->event : nullptr;
}

// Seed 004, 232: one logical create yields at most one resource.
RC_GTEST_PROP(AnyRepetition, of_one_create_makes_at_most_one_event, ()) {
  Shop shop;
  std::map<int, EventKey> event_of;
  for (const Create& create : *any_creates()) {
    if (*one_in(8)) shop.change_routing();
    const std::size_t events = shop.view.events.size();
    const Decision decision = shop.send(create, create.number);
    const StoredEvent* event = answered(decision, shop.view);
    RC_ASSERT(event != nullptr);
    const auto [known, is_first] = event_of.try_emplace(create.number, event->key);
    RC_ASSERT(known->second == event->key);
    RC_ASSERT(shop.view.events.size() == events + (is_first ? 1 : 0));
  }
  RC_ASSERT(shop.view.events.size() == event_of.size());
}

RC_GTEST_PROP(AnyRepetition, of_one_create_makes_at_most_one_delivery_per_endpoint, ()) {
  Shop shop;
  for (const Create& create : *any_creates()) {
    if (*one_in(8)) shop.change_routing();
    (void)shop.send(create, create.number);
  }
  std::set<std::pair<EventKey, EndpointKey>> pairs;
  for (const MemoryView::Delivery& delivery : shop.view.deliveries)
    RC_ASSERT(pairs.insert({delivery.event, delivery.endpoint}).second);
}

// Seed 004, 232: the same key with another payload never reuses the result. It is refused, nothing is stored, and the
// first content is still answered as before.
RC_GTEST_PROP(AnyKey, with_another_content_never_gets_the_result_of_the_first, ()) {
  Shop shop;
  std::map<int, EventKey> event_of;
  for (const Create& create : *any_creates()) {
    const std::size_t events = shop.view.events.size();
    const int other_content = *rc::gen::element(1'000, 1'001);
    const bool is_known = event_of.contains(create.number);
    const Decision decision = shop.send(create, is_known ? other_content : create.number);
    if (!is_known) {
      event_of.emplace(create.number, answered(decision, shop.view)->key);
      continue;
    }
    const auto* refuse = std::get_if<Refuse>(&decision);
    RC_ASSERT(refuse != nullptr);
    RC_ASSERT(refuse->why == (create.with_key ? Refuse::Why::key_reused : Refuse::Why::id_reused));
    RC_ASSERT(shop.view.events.size() == events);
    RC_ASSERT(answered(shop.send(create, create.number), shop.view)->key == event_of.at(create.number));
  }
}

// A key is bound to one event for ever: naming another event's id under it is another request, even with the content of
// that event.
RC_GTEST_PROP(AnyKey, never_answers_with_an_event_of_another_key, ()) {
  Shop shop;
  const Create first{.number = 1, .with_key = true, .with_id = true, .line = *rc::gen::element(0, 1, 2)};
  const Create second{.number = 2, .with_key = true, .with_id = true, .line = first.line};
  RC_ASSERT(answered(shop.send(first, 7), shop.view) != nullptr);
  RC_ASSERT(answered(shop.send(second, 7), shop.view) != nullptr);
  ItemOptions options{.idempotency_key = "key-1", .fresh_id = "evt_fresh", .accepted_at = {9}};
  const Decision mixed = shop.view.submit(item_of(json_of(second, 7), options));
  RC_ASSERT(std::holds_alternative<Refuse>(mixed));
  RC_ASSERT(std::get<Refuse>(mixed).why == Refuse::Why::key_reused);
}

}  // namespace
}  // namespace semel::intake
