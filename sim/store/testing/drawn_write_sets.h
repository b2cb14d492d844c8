// drawn_write_sets.h: write-sets of every kind that fit what a store holds now, or nearly do.
//
// Names, keys and contents come from small pools, so that they meet again: keys with other content, ids taken, batches
// repeated, lines numbered by either side. What relies on versions and fences is right mostly and stale sometimes, and
// any write-set may come a second time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/store.h"
#include "sim/kernel/draw.h"

namespace semel::sim {

class DrawnWriteSets {
 public:
  explicit DrawnWriteSets(std::uint64_t seed) : draw_(seed, "write sets") {}

  store::WriteSet next(store::StoreReader& store, Fence fence);

  // Every name that may be asked for.
  static std::vector<std::string> endpoint_names();
  static std::vector<std::string> event_names();

 private:
  store::WriteSet fresh(store::StoreReader& store, Fence fence);
  store::Intake intake();
  store::Intake batch();
  intake::Item item(std::size_t position);
  std::string event_json();

  std::optional<store::Delivery> some_delivery(store::StoreReader& store);
  store::WriteSet start(const store::Delivery& row, store::StoreReader& store, Fence fence);
  store::WriteSet settle(const store::Delivery& row, Fence fence);
  store::WriteSet change(const store::Delivery& row, Fence fence);
  store::WriteSet late(const store::Delivery& row);
  store::OutcomeRow outcome(std::string result);
  store::CreateEndpoint create_endpoint();
  store::CreateSubscription create_subscription();
  store::CreateApiKey create_api_key();

  TenantKey tenant() { return TenantKey{one_in(40) ? 2 : 1}; }
  Fence about(Fence fence) { return one_in(12) ? Fence{fence.value - draw_.between(-1, 2)} : fence; }
  Version about(Version version) { return one_in(10) ? Version{version.value + draw_.between(-2, 2)} : version; }
  std::string name(std::string_view prefix, std::uint64_t pool) {
    return std::string(prefix) + std::to_string(draw_.below(pool));
  }
  std::vector<std::string> event_types();
  bool one_in(std::uint64_t n) { return draw_.below(n) == 0; }
  WallTime tick() { return now_ = now_ + milliseconds(draw_.between(0, 900)); }

  Draw draw_;
  WallTime now_{1'796'024'751'000};
  std::uint64_t fresh_ids_ = 0;
  std::vector<store::WriteSet> before_;
};

}  // namespace semel::sim
