// line_up.h: the open deliveries of this process in memory, and which of them is sent next.
//
// Decides:    what is sendable now: its time has come, no lower sequence of its ordering key holds it back (per-key
//             endpoints), its endpoint has room. Endpoints take turns, one delivery each, so that none starves another.
// Invariants: I-HOL-ISOLATION  a key that is held back delays only itself, an endpoint that waits only itself;
//             a delivery is handed out by next() only once until ended() or put_back().
// Pure:       no clock, no store; times are arguments. The store is the truth, this is its index.
// Bounds:     kInFlightMax attempts at a time; the rest of the memory is that of the open deliveries (about 300 bytes
//             each), of which intake bounds those that are sendable.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/admission/window.h"
#include "core/endpoint/config.h"
#include "port/store.h"

namespace semel::engine {

inline constexpr std::size_t kInFlightMax = 4'096;

struct EndpointQueue;

// One open delivery, or a dead one that holds its ordering key back.
struct Entry {
  store::Delivery delivery;
  std::shared_ptr<const store::EventBody> body;  // absent: read it from the store before sending
  EndpointQueue* queue = nullptr;
  MonotonicTime due{};
  enum class Place : std::uint8_t {
    waiting,    // for its time
    ready,      // sendable, in its queue's queue
    held_back,  // by a lower sequence of its ordering key
    taken,      // handed out by next()
    over,       // dead, holding higher sequences back
  };
  Place place = Place::held_back;
  bool abandoned = false;               // its endpoint is gone; whoever has it taken lets it go
  bool predecessor_closed = false;      // while it was taken: should it come back parked, it is asked at once
  bool holds_place = false;             // in its endpoint's window: taken and not answered yet
  std::uint64_t window_generation = 0;  // of the attempt in flight
};

class LineUp {
 public:
  LineUp();
  ~LineUp();

  void add_endpoint(EndpointKey key, endpoint::Ordering ordering, admission::Window window);
  // Drops everything of the endpoint that is not taken; what is taken becomes `abandoned`.
  void remove_endpoint(EndpointKey key);
  admission::Window& window(Entry& entry);

  // An open delivery (due, unknown or parked), or a dead one of a per-key endpoint. Ignored when its endpoint is not
  // there or the delivery is already known; returns whether it was added.
  bool insert(store::Delivery delivery, std::shared_ptr<const store::EventBody> body, MonotonicTime now, WallTime wall);
  Entry* find(DeliveryKey key);

  // The next delivery to send, which is then taken; nullptr when none can be sent now.
  Entry* next(MonotonicTime now, WallTime wall);

  // Takes an entry that waits or is held back out of turn (to change it); false when it is taken already.
  bool take(Entry& entry);

  // The endpoint has answered (or never will) the attempt of a taken entry: its place in the window is free, although
  // the outcome is not stored yet.
  void answered(Entry& entry);

  // A taken entry comes back: with the state it has now (open: it waits for its turn again; dead: it holds its line;
  // delivered or cancelled: it is gone and its line moves on). The reference is invalid afterwards if it is gone.
  void ended(Entry& entry, MonotonicTime now, WallTime wall);
  // Likewise, but not to be tried before `not_before`: the store could not take the attempt's row.
  void put_back(Entry& entry, MonotonicTime not_before);

  // When next() may have something it did not have before; nullopt: not before something else happens.
  std::optional<MonotonicTime> next_wake() const;

  std::size_t size() const { return entries_.size(); }
  // Those that next() could hand out now if their endpoints had room; what waits with its endpoint is not among them.
  std::size_t sendable() const { return sendable_; }
  std::size_t taken() const { return taken_; }

 private:
  void place(Entry& entry, MonotonicTime now);
  void hold_back_next(const Entry& entry);
  void make_ready(Entry& entry);
  void leave_ready(Entry& entry);
  void defer(EndpointQueue& queue, WallTime until, MonotonicTime now, WallTime wall);
  void end_deferral(EndpointQueue& queue);
  void leave_place(Entry& entry);
  void leave_line(const Entry& entry);
  void let_go(Entry& entry, MonotonicTime now);
  void line_moves(EndpointQueue& queue, LineKey line, Sequence closed, MonotonicTime now);
  bool is_held_back(const Entry& entry) const;
  void offer(EndpointQueue& queue);
  void take_place(Entry& entry);
  void free_place(Entry& entry);

  std::unordered_map<DeliveryKey, std::unique_ptr<Entry>> entries_;
  std::unordered_map<EndpointKey, std::unique_ptr<EndpointQueue>> queues_;
  std::set<std::pair<MonotonicTime, DeliveryKey>> waiting_;
  std::set<std::pair<MonotonicTime, EndpointKey>> deferred_;  // queues that wait as a whole
  std::deque<EndpointKey> turns_;                             // queues with something ready and room for it
  std::size_t sendable_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace semel::engine
