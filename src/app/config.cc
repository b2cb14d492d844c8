// config.cc: defaults and checks.
#include "app/config.h"

#include <fmt/format.h>

#include <utility>

namespace semel::app {

namespace {

constexpr const char* kDefaultStore = "sqlite:semel.db";
constexpr const char* kDefaultListen = "127.0.0.1:7350";
constexpr std::string_view kSqlite = "sqlite:";

template <class T>
void keep_first(std::optional<T>& first, std::optional<T>&& second) {
  if (!first) first = std::move(second);
}

Result<std::string> database_of(std::string_view store) {
  if (!store.starts_with(kSqlite) || store.size() == kSqlite.size())
    return fail(Fault::invalid, "store: sqlite:FILE is expected");
  return std::string(store.substr(kSqlite.size()));
}

Result<egress::SocketAddress> listen_address(std::string_view text, bool behind_proxy) {
  const std::optional<egress::SocketAddress> address = egress::parse_socket_address(text);
  if (!address) return fail(Fault::invalid, "listen: ADDRESS:PORT is expected, as 127.0.0.1:7350 or [::1]:7350");
  if (!egress::is_loopback(address->ip) && !behind_proxy)
    return fail(
        Fault::invalid,
        fmt::format("listen: {} can be reached from other machines and this listener speaks plain HTTP; listen on "
                    "127.0.0.1, or put a TLS proxy before it and say --behind-proxy",
                    text));
  return *address;
}

Result<Level> log_level_of(std::string_view text) {
  if (text == "debug") return Level::debug;
  if (text == "info") return Level::info;
  if (text == "warning") return Level::warning;
  if (text == "error") return Level::error;
  return fail(Fault::invalid, "log_level: debug, info, warning or error is expected");
}

Result<std::vector<egress::AllowedRange>> ranges_of(const std::vector<std::string>& texts) {
  std::vector<egress::AllowedRange> ranges;
  for (const std::string& text : texts) {
    Result<egress::AllowedRange> range = egress::parse_allowed_range(text);
    if (!range) return fail(Fault::invalid, "allow_destination: " + range.error().note);
    ranges.push_back(*std::move(range));
  }
  return ranges;
}

}  // namespace

Settings read_settings_environment(const Lookup& lookup) {
  return {.store = lookup("SEMEL_STORE"),
          .listen = lookup("SEMEL_LISTEN"),
          .allow_destination = std::nullopt,
          .behind_proxy = std::nullopt,
          .master_key_file = lookup("SEMEL_MASTER_KEY_FILE"),
          .log_level = lookup("SEMEL_LOG_LEVEL"),
          .ca_file = std::nullopt,
          .admin_key = lookup("SEMEL_ADMIN_KEY")};
}

Settings merge(Settings first, Settings second) {
  keep_first(first.store, std::move(second.store));
  keep_first(first.listen, std::move(second.listen));
  keep_first(first.allow_destination, std::move(second.allow_destination));
  keep_first(first.behind_proxy, std::move(second.behind_proxy));
  keep_first(first.master_key_file, std::move(second.master_key_file));
  keep_first(first.log_level, std::move(second.log_level));
  keep_first(first.ca_file, std::move(second.ca_file));
  keep_first(first.admin_key, std::move(second.admin_key));
  return first;
}

Result<Config> make_config(const Settings& settings) {
  SEMEL_TRY(database, database_of(settings.store.value_or(kDefaultStore)));
  SEMEL_TRY(listen, listen_address(settings.listen.value_or(kDefaultListen), settings.behind_proxy.value_or(false)));
  SEMEL_TRY(allowed, ranges_of(settings.allow_destination.value_or(std::vector<std::string>{})));
  SEMEL_TRY(log_level, log_level_of(settings.log_level.value_or("info")));
  MasterKeyFile master_key{
      .path = settings.master_key_file.value_or(database + ".key"),
      .chosen = settings.master_key_file ? MasterKeyFile::Chosen::by_operator : MasterKeyFile::Chosen::beside_store};
  return Config{.database = std::move(database),
                .listen = listen,
                .allowed = std::move(allowed),
                .master_key = std::move(master_key),
                .log_level = log_level,
                .ca_file = settings.ca_file,
                .admin_key = settings.admin_key};
}

}  // namespace semel::app
