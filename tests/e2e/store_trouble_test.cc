// store_trouble_test.cc: a full disk and a store that cannot be written: nothing is acknowledged, reads go on, and it
// recovers by itself.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "support/rig.h"

namespace semel::tests {
namespace {

using harness::ApiAnswer;

std::string event_of(std::size_t bytes) {
  return fmt::format(R"({{"type":"a.b","data":"{}"}})", std::string(bytes, 'x'));
}

class StoreTrouble : public Rig {};

// A server whose store lies on a small file system that only it sees.
class SmallDisk {
 public:
  SmallDisk(const std::filesystem::path& folder) : folder_(folder) {}

  Result<void> start() {
    const std::string serve = fmt::format(
        "mount -t tmpfs -o size=24m tmpfs '{0}' && exec '{1}' serve --store 'sqlite:{0}/semel.db' --listen 127.0.0.1:0",
        folder_.string(), SEMEL_TEST_PROGRAM);
    const char* namespaces = geteuid() == 0 ? "-m" : "-Urm";
    key_ = harness::make_admin_key();
    SEMEL_TRY(process, harness::Process::start({.program = "unshare",
                                                .arguments = {namespaces, "sh", "-c", serve},
                                                .environment = {{"SEMEL_ADMIN_KEY", key_}},
                                                .input = {}}));
    process_ = std::move(process);
    SEMEL_TRY(port, harness::listening_port(*process_, kPatience));
    port_ = port;
    return {};
  }
  harness::ApiClient api() const { return {port_, key_}; }
  bool running() { return process_->running(); }
  // A file on that disk, seen from here.
  std::string file(const std::string& name) const {
    return fmt::format("/proc/{}/root{}/{}", process_->pid(), folder_.string(), name);
  }

 private:
  std::filesystem::path folder_;
  std::string key_;
  std::uint16_t port_ = 0;
  std::unique_ptr<harness::Process> process_;
};

TEST_F(StoreTrouble, a_full_disk_is_503_reads_go_on_and_space_brings_it_back) {
  SmallDisk disk(folder_.path());
  const Result<void> started = disk.start();
  ASSERT_TRUE(started) << note_of(started);
  const Result<ApiAnswer> first = disk.api().post("/v1/events", event_of(1'000));
  ASSERT_TRUE(first) << note_of(first);
  ASSERT_EQ(first->status(), 202) << first->body();

  std::ofstream ballast(disk.file("ballast"));
  const std::string megabyte(1 << 20, 'b');
  while (ballast.write(megabyte.data(), static_cast<std::streamsize>(megabyte.size())).flush()) {
  }
  std::vector<std::string> told{first->text("id")};
  std::optional<ApiAnswer> refused;
  for (int n = 0; n < 100 && !refused; ++n) {
    const Result<ApiAnswer> answer = disk.api().post("/v1/events", event_of(200'000));
    ASSERT_TRUE(answer) << note_of(answer);
    if (answer->status() == 202)
      told.push_back(answer->text("id"));
    else
      refused = *answer;
  }
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status(), 503) << refused->body();
  EXPECT_NE(refused->http().header("retry-after"), "");
  EXPECT_TRUE(disk.running());
  for (const std::string& id : told) {
    const Result<ApiAnswer> shown = disk.api().get("/v1/events/" + id);
    ASSERT_TRUE(shown) << note_of(shown);
    EXPECT_EQ(shown->status(), 200);
  }

  ballast.close();
  ASSERT_TRUE(std::filesystem::remove(disk.file("ballast")));
  EXPECT_TRUE(harness::wait_until(
      [&] {
        const Result<ApiAnswer> again = disk.api().post("/v1/events", event_of(1'000));
        return again && again->status() == 202;
      },
      kPatience));
}

TEST_F(StoreTrouble, a_store_that_another_process_keeps_locked_is_503_and_nothing_is_acknowledged) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  sqlite3* intruder = nullptr;
  ASSERT_EQ(sqlite3_open(server.database().c_str(), &intruder), SQLITE_OK);
  sqlite3_db_config(intruder, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  ASSERT_EQ(sqlite3_exec(intruder, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const harness::HttpHeaders key = {{"idempotency-key", "\"locked-out\""}};
  const Result<ApiAnswer> locked_out = server.api().post("/v1/events", event_of(10), key, milliseconds(30'000));
  ASSERT_TRUE(locked_out) << note_of(locked_out);
  EXPECT_EQ(locked_out->status(), 503) << locked_out->body();
  EXPECT_NE(locked_out->http().header("retry-after"), "");
  ASSERT_EQ(sqlite3_exec(intruder, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(intruder);

  const Result<ApiAnswer> stored = server.api().get("/v1/events");
  ASSERT_TRUE(stored) << note_of(stored);
  EXPECT_EQ(stored->root().find("events")->size(), 0u);
  const Result<ApiAnswer> again = server.api().post("/v1/events", event_of(10), key);
  ASSERT_TRUE(again) << note_of(again);
  EXPECT_EQ(again->status(), 202) << again->body();
  EXPECT_EQ(again->http().header("idempotent-replayed"), "");
}

TEST_F(StoreTrouble, a_write_that_fails_is_answered_as_unknown_and_ends_the_server_and_the_next_one_goes_on) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  const Result<ApiAnswer> before = server.api().post("/v1/events", event_of(10));
  ASSERT_TRUE(before) << note_of(before);
  ASSERT_EQ(before->status(), 202) << before->body();

  const rlimit no_byte_more{.rlim_cur = 1, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(prlimit(server.pid(), RLIMIT_FSIZE, &no_byte_more, nullptr), 0);
  const Result<ApiAnswer> in_doubt = server.api().post("/v1/events", event_of(10));
  ASSERT_TRUE(in_doubt) << note_of(in_doubt);
  EXPECT_EQ(in_doubt->status(), 503);
  EXPECT_EQ(in_doubt->text("code"), "OUTCOME_UNKNOWN");
  const std::optional<harness::Exit> exit = server.process().wait(kPatience);
  ASSERT_TRUE(exit);
  EXPECT_NE(exit->code, 0);
  EXPECT_EQ(exit->signal, 0);

  ASSERT_TRUE(server.start());
  const Result<ApiAnswer> shown = server.api().get("/v1/events/" + before->text("id"));
  ASSERT_TRUE(shown) << note_of(shown);
  EXPECT_EQ(shown->status(), 200);
}

}  // namespace
}  // namespace semel::tests
