// memory_store.cc: what one turn brings is committed together in a later turn, and answered in one after that.
#include "sim/store/memory_store.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/match.h"
#include "sim/store/memory_reader.h"
#include "sim/store/tables.h"
#include "sim/store/write_sets.h"

namespace semel::sim {
namespace {

constexpr std::size_t kQueuedMax = 16'384;

class MemoryStore final : public store::Store {
 public:
  MemoryStore(Tables& tables, Fence fence, Executor& executor) : tables_(tables), fence_(fence), executor_(executor) {}

  void start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) override {
    if (queue_.size() >= kQueuedMax) {
      executor_.post([answer = std::move(done)]() mutable {
        answer(store::Refused{{Fault::busy, "too much waits for the store"}});
      });
      return;
    }
    queue_.push_back({std::move(write_set), std::move(done)});
    if (queue_.size() > 1) return;
    executor_.post([this, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) commit();
    });
  }

  void start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) override {
    executor_.post([this, alive = std::weak_ptr(alive_), run = std::move(read), over = std::move(done)]() mutable {
      if (alive.expired()) return;
      MemoryReader reader(tables_);
      run(reader);
      executor_.post([alive, told = std::move(over)]() mutable {
        if (!alive.expired()) told(Nothing{});
      });
    });
  }

  Fence fence() const override { return fence_; }

 private:
  struct Queued {
    store::WriteSet write_set;
    Done<store::CommitAnswer> done;
  };

  void commit() {
    std::vector<Queued> group = std::exchange(queue_, {});
    std::vector<store::CommitAnswer> answers;
    for (const Queued& queued : group)
      answers.push_back(match(queued.write_set, [&](const auto& write_set) { return write(tables_, write_set); }));
    executor_.post([alive = std::weak_ptr(alive_), answered = std::move(group), given = std::move(answers)]() mutable {
      if (alive.expired()) return;
      for (std::size_t i = 0; i < answered.size(); ++i) answered[i].done(std::move(given[i]));
    });
  }

  Tables& tables_;
  const Fence fence_;
  Executor& executor_;
  std::vector<Queued> queue_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // what was posted before the end does nothing after it
};

void create(Tables& tables, Secrets& secrets, Entropy& entropy) {
  constexpr const char* kDefaultTenant = "default";
  std::array<std::uint8_t, 32> key{};
  entropy.fill(key);
  const std::string plain(reinterpret_cast<const char*>(key.data()), key.size());
  TenantRow tenant;
  tenant.row = {.key = TenantKey{1},
                .name = kDefaultTenant,
                .sealed_fingerprint_key = secrets.seal(plain, fmt::format("tenant/{}/fingerprint", kDefaultTenant))};
  tables.tenants.add(std::move(tenant));
  tables.fences.emplace().fill(Fence{1});
}

Fence raise_fences(Tables& tables) {
  Fence highest{0};
  for (const Fence fence : *tables.fences) highest = std::max(highest, fence);
  tables.fences->fill(Fence{highest.value + 1});
  return Fence{highest.value + 1};
}

}  // namespace

Result<std::unique_ptr<store::Store>> open_memory_store(MemoryRows& rows, Secrets& secrets, Entropy& entropy,
                                                        Executor& executor) {
  Tables& tables = rows.tables();
  if (!tables.fences) create(tables, secrets, entropy);
  return std::make_unique<MemoryStore>(tables, raise_fences(tables), executor);
}

}  // namespace semel::sim
