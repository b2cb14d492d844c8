// start_test.cc: what keeps a server from starting, and what it says then.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "support/database.h"
#include "support/process.h"
#include "support/rig.h"

namespace semel::tests {
namespace {

class Start : public Rig {
 protected:
  // Runs it to its end; it must not succeed. Its output.
  static std::string refused(const harness::Command& command) {
    const Result<harness::Finished> finished = harness::run(command, kPatience);
    EXPECT_TRUE(finished) << note_of(finished);
    if (!finished) return {};
    EXPECT_NE(finished->exit.code, 0) << finished->output;
    EXPECT_EQ(finished->exit.signal, 0) << finished->output;
    return finished->output;
  }

  harness::Command serve(const std::string& store, std::uint16_t port) const {
    return {.program = SEMEL_TEST_PROGRAM,
            .arguments = {"serve", "--store", "sqlite:" + folder_.file(store), "--listen",
                          fmt::format("127.0.0.1:{}", port)},
            .environment = {},
            .input = {}};
  }
};

TEST_F(Start, of_a_second_process_on_the_same_store_is_refused_with_the_pid_of_the_first) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  const std::string output = refused(serve("semel.db", 0));
  EXPECT_TRUE(output.contains(std::to_string(server.pid()))) << output;
  const Result<harness::ApiAnswer> still = server.api().post("/v1/events", R"({"type":"a.b","data":{}})");
  ASSERT_TRUE(still) << note_of(still);
  EXPECT_EQ(still->status(), 202);
}

TEST_F(Start, makes_files_that_nobody_else_can_read) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  using std::filesystem::perms;
  for (const char* suffix : {"", "-wal", ".key"}) {
    const perms given = std::filesystem::status(server.database() + suffix).permissions();
    EXPECT_EQ(given & (perms::group_all | perms::others_all), perms::none) << suffix;
  }
}

TEST_F(Start, with_another_master_key_is_refused_and_names_the_file_it_came_from) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  ASSERT_TRUE(server.stop());
  std::ofstream(server.database() + ".key") << std::string(64, '5') << "\n";
  const std::string output = refused(serve("semel.db", 0));
  EXPECT_TRUE(output.contains(server.database() + ".key")) << output;
}

TEST_F(Start, on_a_store_of_a_newer_version_is_refused_and_changes_nothing) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  ASSERT_TRUE(server.stop());
  ASSERT_TRUE(harness::execute(server.database(), "PRAGMA user_version=4711"));
  const std::string output = refused(serve("semel.db", 0));
  EXPECT_TRUE(output.contains("newer")) << output;
  const Result<std::int64_t> version = harness::query_number(server.database(), "PRAGMA user_version");
  ASSERT_TRUE(version) << note_of(version);
  EXPECT_EQ(*version, 4711);
}

TEST_F(Start, on_a_port_in_use_is_refused_and_names_the_port) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  const std::string output = refused(serve("other.db", server.port()));
  EXPECT_TRUE(output.contains(std::to_string(server.port()))) << output;
  EXPECT_TRUE(output.contains("in use")) << output;
}

TEST_F(Start, on_a_file_that_is_no_database_is_refused_and_leaves_it_as_it_was) {
  const std::string text = std::string(8192, '#');
  std::ofstream(folder_.file("notes.db")) << text;
  refused(serve("notes.db", 0));
  std::ifstream file(folder_.file("notes.db"));
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()), text);
}

TEST_F(Start, without_the_master_key_of_a_store_is_refused) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  ASSERT_TRUE(server.stop());
  std::filesystem::rename(server.database() + ".key", folder_.file("elsewhere"));
  const std::string output = refused(serve("semel.db", 0));
  EXPECT_TRUE(output.contains("key")) << output;
}

struct BadToml {
  const char* what;
  const char* text;
  const char* said;
};

TEST_F(Start, with_a_configuration_that_cannot_be_read_says_where_and_what_was_meant) {
  const BadToml rows[] = {
      {"a broken line", "store = \n", "line 1"},
      {"an unknown field", "listenn = \"127.0.0.1:0\"\n", "listen"},
      {"a value of the wrong kind", "listen = 7\n", "listen"},
  };
  for (const BadToml& row : rows) {
    SCOPED_TRACE(row.what);
    std::ofstream(folder_.file("semel.toml")) << row.text;
    const std::string output = refused({.program = SEMEL_TEST_PROGRAM,
                                        .arguments = {"serve", "--config", folder_.file("semel.toml"), "--store",
                                                      "sqlite:" + folder_.file("unused.db"), "--listen", "127.0.0.1:0"},
                                        .environment = {},
                                        .input = {}});
    EXPECT_TRUE(output.contains(row.said)) << output;
    EXPECT_TRUE(output.contains("semel.toml")) << output;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("unused.db")));
}

}  // namespace
}  // namespace semel::tests
