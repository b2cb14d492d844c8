// acceptance.cc: what was answered 202 stays, in the order the producer meant, and a key means one content.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "sim/check/body_text.h"
#include "sim/check/groups.h"

namespace semel::sim {
namespace {

// Every event answered 202 is in every later inspection, as it was answered, with the deliveries that were answered;
// and no delivery stands where it stood before a commit that was answered.
class AckDurable final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-ACK-DURABLE"; }

  void answered(const Submission& submission, const SubmissionAnswer& answer) override {
    for (const AcceptedEvent& accepted : answer.accepted) {
      const auto made = std::ranges::find(submission.events, accepted.number, &MadeEvent::number);
      if (made == submission.events.end()) continue;
      auto [at, is_new] = facts_.try_emplace(accepted.id.text, Fact{.accepted = accepted, .made = *made});
      const AcceptedEvent& first = at->second.accepted;
      if (!is_new && (first.sequence != accepted.sequence || !same_endpoints(first, accepted)))
        violated(fmt::format("{} was answered twice, with other sequence or deliveries", accepted.id.text));
    }
  }

  void inspected(const Inspection& inspection) override {
    for (const store::EventView& view : inspection.events) {
      const auto found = facts_.find(view.id.text);
      if (found == facts_.end()) continue;
      Fact& fact = found->second;
      fact.is_there = true;
      if (view.ordering_key != fact.made.key || view.sequence != fact.accepted.sequence || view.type != fact.made.type)
        violated(fmt::format("{} is stored with another type, ordering key or sequence than it was answered with",
                             view.id.text));
    }
    find_deliveries(inspection);
    for (auto& [id, fact] : facts_) {
      if (!fact.is_there) violated(fmt::format("{} was answered 202 and is not in the store", id));
      if (fact.deliveries != fact.accepted.endpoints.size())
        violated(fmt::format("{} was answered with {} deliveries and has {}", id, fact.accepted.endpoints.size(),
                             fact.deliveries));
      fact.is_there = false;
      fact.deliveries = 0;
    }
  }

 private:
  struct Fact {
    AcceptedEvent accepted;
    MadeEvent made;
    bool is_there = false;
    std::size_t deliveries = 0;  // seen in the inspection at hand
  };

  static bool same_endpoints(const AcceptedEvent& a, const AcceptedEvent& b) {
    return std::ranges::is_permutation(a.endpoints, b.endpoints);
  }

  void find_deliveries(const Inspection& inspection) {
    std::size_t known = 0;
    for (const store::DeliveryView& view : inspection.deliveries) {
      if (const DeliveryBook* book = books_.delivery(view.key)) {
        ++known;
        if (view.version < book->version)
          violated(fmt::format("{} stands at version {}, a commit had brought it to {}", book->text(),
                               view.version.value, book->version.value));
      }
      const auto found = facts_.find(view.id.event.text);
      if (found == facts_.end()) continue;
      Fact& fact = found->second;
      ++fact.deliveries;
      if (std::ranges::find(fact.accepted.endpoints, view.id.endpoint) == fact.accepted.endpoints.end())
        violated(fmt::format("{} has a delivery to {} that its answer did not name", view.id.event.text,
                             view.id.endpoint.text));
    }
    if (known < books_.deliveries().size())
      violated(fmt::format("{} of {} deliveries whose commit was answered are not in the store",
                           books_.deliveries().size() - known, books_.deliveries().size()));
  }

  std::unordered_map<std::string, Fact> facts_;
};

// Per ordering key the sequences that are there follow each other, and so do the producer's indices, from its first.
class NoHole final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-NO-HOLE"; }

  void inspected(const Inspection& inspection) override {
    lines_.clear();
    for (const store::EventView& view : inspection.events) {
      if (!view.ordering_key || !view.sequence) continue;
      const auto [line, first] = lines_.try_emplace(*view.ordering_key, *view.sequence, 0);
      auto& [sequence, index] = line->second;
      if (*view.sequence != sequence)
        violated(fmt::format("after sequence {} of {} comes {}", sequence - 1, *view.ordering_key, *view.sequence));
      ++sequence;
      const MadeEvent* made = books_.made(number_of(view));
      if (!made) continue;
      if (made->index != index)
        violated(fmt::format("sequence {} of {} is the producer's event {}, expected was {}", *view.sequence,
                             *view.ordering_key, made->index, index));
      ++index;
    }
  }

 private:
  std::uint64_t number_of(const store::EventView& view) const {
    const EventBook* book = books_.event(view.key);
    return book && book->id == view.id ? book->number : number_in_envelope(view.envelope);
  }

  struct Next {
    Sequence sequence;
    std::uint64_t index;
  };
  std::unordered_map<std::string_view, Next> lines_;  // of the inspection at hand
};

// A key that was accepted for one content is refused with 422 for any other.
class IdempotencyFingerprint final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-IDEM-FP"; }

  void answered(const Submission& submission, const SubmissionAnswer& answer) override {
    const Key key{submission.producer, submission.idempotency_key, submission.batch};
    if (const auto bound = bound_.find(key); bound != bound_.end()) {
      if (bound->second != content_of(submission) && !may_answer_other_content(answer))
        violated(fmt::format("key {} is bound to event {}; other content was answered {}", submission.idempotency_key,
                             bound->second.front(), answer.status));
    } else if (!answer.accepted.empty()) {
      bound_.emplace(key, content_of(submission));
    }
  }

 private:
  using Key = std::tuple<std::string, std::string, bool>;
  using Content = std::vector<std::uint64_t>;  // numbers of its events, of which each has its own data

  static Content content_of(const Submission& submission) {
    Content content;
    for (const MadeEvent& event : submission.events) content.push_back(event.number);
    return content;
  }
  // 422, or an answer that says nothing about the key.
  static bool may_answer_other_content(const SubmissionAnswer& answer) {
    return answer.status == 422 || answer.status >= 500 || answer.status == 408 || answer.status == 409 ||
           answer.status == 429;
  }

  std::map<Key, Content> bound_;
};

}  // namespace

void make_acceptance_checkers(Making& making) {
  making.add<AckDurable>();
  making.add<NoHole>();
  making.add<IdempotencyFingerprint>();
}

}  // namespace semel::sim
