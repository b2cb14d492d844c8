// test_store.h: a store in a folder of its own, for tests: opened and opened again, group by group.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/testing/temp_folder.h"
#include "edge/sqlite/inline_lanes.h"
#include "edge/sqlite/sqlite_store.h"

namespace semel::sqlite {

// Sealed text names its row, so that a test sees what was sealed for what.
class PlainSecrets final : public Secrets {
 public:
  std::string seal(std::string_view plain, std::string_view row) override {
    return std::string(row) + ":" + std::string(plain);
  }
  Result<std::string> unseal(std::string_view sealed, std::string_view row) override {
    const std::string prefix = std::string(row) + ":";
    if (!sealed.starts_with(prefix)) return fail(Fault::corrupt, "sealed for another row");
    return std::string(sealed.substr(prefix.size()));
  }
};

class TestStore {
 public:
  struct Options {
    std::string path;
    std::optional<std::string> vfs;
    Synchronous synchronous = Synchronous::full;
    std::uint64_t log_bytes_max = kLogBytesMaxDefault;
  };

  explicit TestStore(Options options) : options_(std::move(options)) { reopen(); }
  ~TestStore() { lanes_.drain(); }

  Result<Opened> try_open() {
    return open_sqlite_store({.path = options_.path,
                              .secrets = secrets_,
                              .entropy = random_,
                              .log_bytes_max = options_.log_bytes_max,
                              .vfs = options_.vfs,
                              .synchronous = options_.synchronous,
                              .on_fatal = [this](std::string why) { fatal_ = std::move(why); }},
                             lanes_, lanes_);
  }
  void reopen() {
    lanes_.drain();
    opened_.reset();
    Result<Opened> opened = try_open();
    ASSERT_TRUE(opened) << opened.error().note;
    opened_.emplace(*std::move(opened));
  }
  void close() {
    lanes_.drain();
    opened_.reset();
  }

  store::Store& store() { return *opened_->store; }
  bool created() const { return opened_->created; }
  InlineLanes& lanes() { return lanes_; }
  const std::optional<std::string>& fatal() const { return fatal_; }

  // Everything in one group.
  std::vector<store::CommitAnswer> commit_group(std::vector<store::WriteSet> group) {
    std::vector<std::optional<store::CommitAnswer>> given(group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      store().start_commit(std::move(group[i]),
                           [&given, i](store::CommitAnswer answer) { given[i] = std::move(answer); });
    lanes_.drain();
    std::vector<store::CommitAnswer> answers;
    for (auto& answer : given) answers.push_back(std::move(answer).value());
    return answers;
  }
  store::CommitAnswer commit(store::WriteSet write_set) {
    std::vector<store::WriteSet> group;
    group.push_back(std::move(write_set));
    return std::move(commit_group(std::move(group)).front());
  }

  template <class F>
  auto read(F query) {
    std::optional<std::invoke_result_t<F, store::StoreReader&>> answer;
    store().start_reading([&](store::StoreReader& reader) { answer.emplace(query(reader)); }, [](Nothing) {});
    lanes_.drain();
    return *std::move(answer);
  }

 private:
  Options options_;
  PlainSecrets secrets_;
  SeededRandom random_{7};
  InlineLanes lanes_;
  std::optional<Opened> opened_;
  std::optional<std::string> fatal_;
};

}  // namespace semel::sqlite
