// producers.h: shipments over many keys, a ledger of transfers, batches, events without a key, reused keys, a flood.
//
// Each key has one writer, which sends the next event only when it knows that the one before is taken, so that what it
// means by order is known; writers of different keys run beside each other.
#pragma once

#include <memory>
#include <vector>

#include "port/scope.h"
#include "sim/workload/submitter.h"

namespace semel::sim {

class Producers {
 public:
  explicit Producers(Stage& stage);

  // Spawns all writers. They end by themselves: once what they were to send is taken.
  void start();
  bool done() const { return scope_.running() == 0; }

  // So many events of this type at once, each with a key of its own.
  void announce(const std::string& type, std::int64_t events = 1);

 private:
  Co<void> write_key(Submitter& by, std::string key, std::uint32_t events);
  Co<void> write_unkeyed(Submitter& by, std::uint32_t events);
  Co<void> write_batches(Submitter& by, std::vector<std::string> keys, std::uint32_t events);
  Co<void> transfer(Submitter& by, std::uint32_t transfers);
  Co<void> reuse_keys(Submitter& by, std::uint32_t times);
  Co<void> flood(Submitter& by);
  Co<void> submit_one(Submitter& by, MadeEvent event);
  Co<void> pause(Submitter& by, std::uint32_t of);
  Submitter& any() { return *submitters_[draw_.below(submitters_.size())]; }

  Stage& stage_;
  Draw draw_;
  std::vector<std::unique_ptr<Submitter>> submitters_;
  std::uint64_t announced_ = 0;
  Scope scope_;
};

}  // namespace semel::sim
