// config_test.cc: files, environment, precedence and checks.
#include "app/config.h"

#include <gtest/gtest.h>

#include <map>

namespace semel::app {
namespace {

TEST(SettingsFile, holds_every_setting) {
  const Result<Settings> settings = read_settings_file(R"(
store = "sqlite:/var/lib/semel/semel.db"
listen = "[::1]:80"
allow_destination = ["10.0.0.0/8", "127.0.0.1/32:8080"]
behind_proxy = true
master_key_file = "/etc/semel.key"
ca_file = "ca.pem"
log_level = "error"
)");
  ASSERT_TRUE(settings) << settings.error().note;
  EXPECT_EQ(settings->store, "sqlite:/var/lib/semel/semel.db");
  EXPECT_EQ(settings->listen, "[::1]:80");
  EXPECT_EQ(settings->allow_destination, (std::vector<std::string>{"10.0.0.0/8", "127.0.0.1/32:8080"}));
  EXPECT_EQ(settings->behind_proxy, true);
  EXPECT_EQ(settings->master_key_file, "/etc/semel.key");
  EXPECT_EQ(settings->ca_file, "ca.pem");
  EXPECT_EQ(settings->log_level, "error");
  EXPECT_EQ(settings->admin_key, std::nullopt);
}

TEST(SettingsFile, refuses_what_it_does_not_understand_and_says_where) {
  const struct {
    std::string_view toml, note;
  } rows[] = {
      {"listen = ", "line 1, column 10: "},
      {"\nlisten = \"a\"\nlisten = \"b\"\n", "line 3, column "},
      {"\n\nlisen = \"a\"", "line 3: lisen is not a known setting (did you mean listen?)"},
      {"[server]\nlisten = \"a\"", "line 1: server is not a known setting"},
      {"admin_key = \"k\"", "line 1: admin_key is not a known setting"},
      {"listen = 7350", "line 1: listen: a string is expected"},
      {"behind_proxy = 1", "line 1: behind_proxy: true or false is expected"},
      {"allow_destination = \"10.0.0.0/8\"", "line 1: allow_destination: an array of strings is expected"},
      {"allow_destination = [\n\"10.0.0.0/8\",\n7]", "line 3: allow_destination: a string is expected"},
  };
  for (const auto& row : rows) {
    const Result<Settings> settings = read_settings_file(row.toml);
    ASSERT_FALSE(settings) << row.toml;
    EXPECT_EQ(settings.error().fault, Fault::invalid) << row.toml;
    EXPECT_EQ(settings.error().note.substr(0, row.note.size()), row.note) << row.toml;
  }
}

TEST(Settings, come_from_the_first_source_that_names_them) {
  const std::map<std::string, std::string> variables = {{"SEMEL_STORE", "sqlite:env.db"},
                                                        {"SEMEL_LISTEN", "127.0.0.1:1"}};
  const Settings environment = read_settings_environment([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
  const Settings merged = merge(Settings{.store = "sqlite:flag.db"},
                                merge(environment, Settings{.store = "sqlite:file.db", .log_level = "debug"}));
  EXPECT_EQ(merged.store, "sqlite:flag.db");
  EXPECT_EQ(merged.listen, "127.0.0.1:1");
  EXPECT_EQ(merged.log_level, "debug");
}

TEST(Config, has_safe_defaults) {
  const Result<Config> config = make_config({});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->database, "semel.db");
  EXPECT_EQ(egress::format_socket_address(config->listen), "127.0.0.1:7350");
  EXPECT_TRUE(config->allowed.empty());
  EXPECT_EQ(config->master_key.path, "semel.db.key");
  EXPECT_EQ(config->master_key.chosen, MasterKeyFile::Chosen::beside_store);
  EXPECT_EQ(config->log_level, Level::info);
}

TEST(Config, a_named_master_key_file_is_the_operators) {
  const Result<Config> config = make_config({.master_key_file = "k"});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->master_key.path, "k");
  EXPECT_EQ(config->master_key.chosen, MasterKeyFile::Chosen::by_operator);
}

TEST(Config, refuses_values_that_make_no_sense_or_are_not_safe) {
  const struct {
    Settings settings;
    std::string_view note;
  } rows[] = {
      {{.store = "semel.db"}, "store: "},
      {{.store = "sqlite:"}, "store: "},
      {{.store = "postgres://x"}, "store: "},
      {{.listen = "7350"}, "listen: "},
      {{.listen = "localhost:7350"}, "listen: "},
      {{.listen = "0.0.0.0:7350"}, "listen: 0.0.0.0:7350 can be reached from other machines"},
      {{.listen = "[::]:7350", .behind_proxy = false}, "listen: [::]:7350 can be reached"},
      {{.allow_destination = std::vector<std::string>{"10.0.0.0/40"}}, "allow_destination: "},
      {{.log_level = "loud"}, "log_level: "},
  };
  for (const auto& row : rows) {
    const Result<Config> config = make_config(row.settings);
    ASSERT_FALSE(config) << row.note;
    EXPECT_EQ(config.error().fault, Fault::invalid);
    EXPECT_EQ(config.error().note.substr(0, row.note.size()), row.note);
  }
}

TEST(Config, another_address_than_loopback_is_taken_behind_a_proxy) {
  EXPECT_TRUE(make_config({.listen = "0.0.0.0:7350", .behind_proxy = true}));
}

}  // namespace
}  // namespace semel::app
