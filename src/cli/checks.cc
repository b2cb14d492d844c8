// checks.cc: one check a function.
#include "cli/checks.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "cli/api_client.h"
#include "cli/failure.h"
#include "edge/os/loop.h"
#include "edge/sqlite/connection.h"
#include "edge/sqlite/lock_file.h"
#include "edge/sqlite/schema.h"

namespace semel::cli {

namespace {

using Verdict = Finding::Verdict;

constexpr int kSqliteWithSafeCheckpoints = 3'051'003;
constexpr WallTime kThisWasWritten{1'767'225'600'000};  // 2026-01-01
constexpr WallTime kSurelyWrong{4'102'444'800'000};     // 2100-01-01

bool exists(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0;
}

Finding check_schema(const std::string& database) {
  const auto connection = sqlite::Connection::open({.path = database, .vfs = {}, .access = sqlite::Access::read});
  if (!connection)
    return {Verdict::bad, "store", database + ": " + connection.error().note,
            "bring back a backup, or name another file"};
  const std::int64_t version = (*connection)->pragma_number("user_version");
  if (version > sqlite::kSchemaVersion)
    return {Verdict::bad, "store", fmt::format("{}: schema {} of a newer version", database, version),
            "run the version of semel that wrote it"};
  return {Verdict::good, "store", fmt::format("{}: schema {}, no server has it open", database, version), ""};
}

std::string text_of(const egress::AllowedRange& range) {
  std::string text = fmt::format("{}/{}", egress::format_ip(range.network), range.prefix_length);
  for (std::size_t i = 0; i < range.ports.size(); ++i)
    text += fmt::format("{}{}-{}", i == 0 ? ":" : ",", range.ports[i].first, range.ports[i].last);
  return text;
}

}  // namespace

Finding check_sqlite(int number) {
  const std::string version = fmt::format("{}.{}.{}", number / 1'000'000, number / 1'000 % 1'000, number % 1'000);
  if (number >= kSqliteWithSafeCheckpoints) return {Verdict::good, "sqlite", version, ""};
  return {Verdict::note, "sqlite",
          version +
              " is older than 3.51.3: a checkpoint on a fully copied log can corrupt the file beside a writer. "
              "Semel starts one only after a commit that wrote behind the last full copy, so its own use is safe",
          "let no other program checkpoint this file while a server runs; 3.51.3 or newer lifts this"};
}

Finding check_openssl() { return {Verdict::good, "openssl", OpenSSL_version(OPENSSL_VERSION), ""}; }

Finding check_store(const std::string& database) {
  const std::string folder = std::filesystem::path(database).parent_path().string();
  if (!folder.empty() && !exists(folder))
    return {Verdict::bad, "store", "the folder " + folder + " does not exist", "make it, for the user who runs semel"};
  if (!exists(database)) return {Verdict::note, "store", database + " does not exist; the first start makes it", ""};
  const Result<sqlite::LockFile> lock = sqlite::LockFile::take(database + ".lock");
  if (lock) return check_schema(database);
  if (lock.error().fault == Fault::busy) return {Verdict::good, "store", lock.error().note, ""};
  return {Verdict::bad, "store", lock.error().note, "make the folder writable for this user"};
}

Finding check_master_key(const MasterKeyFile& file, bool store_exists) {
  struct stat status{};
  if (stat(file.path.c_str(), &status) != 0) {
    if (!store_exists && file.chosen == MasterKeyFile::Chosen::beside_store)
      return {Verdict::note, "master key", file.path + " does not exist; it is made with the store", ""};
    return {Verdict::bad, "master key", file.path + " is missing",
            "bring it back: without it no endpoint secret can be read, and the server does not start"};
  }
  if ((status.st_mode & 077) != 0)
    return {Verdict::bad, "master key", file.path + " can be read or changed by other users", "chmod 600 " + file.path};
  return {Verdict::good, "master key", file.path + ", for this user only; keep a copy apart from backups of the store",
          ""};
}

Finding check_clock(WallTime now) {
  if (now < kThisWasWritten || now > kSurelyWrong)
    return {Verdict::bad, "clock", "the clock says " + format_rfc3339(now),
            "set it (timedatectl set-ntp true): receivers refuse signatures that are 5 minutes off"};
  return {Verdict::good, "clock", format_rfc3339(now), ""};
}

Finding check_egress(const std::vector<egress::AllowedRange>& allowed) {
  if (allowed.empty()) return {Verdict::good, "egress", "public destinations only", ""};
  std::string ranges;
  for (const egress::AllowedRange& range : allowed) ranges += (ranges.empty() ? "" : " ") + text_of(range);
  return {Verdict::note, "egress", "public destinations and " + ranges,
          "whoever may create endpoints can reach these, over plain http too; open no more than you need"};
}

Finding check_listener(const egress::SocketAddress& listen) {
  ServerAddress server = server_from_environment();
  if (const char* named = std::getenv("SEMEL_URL"); named == nullptr || *named == '\0')
    server.url = "http://" + egress::format_socket_address(listen);
  ApiClient client(server);
  const Result<http::SimpleAnswer> answer = client.call({.target = "/v1/version"});
  if (!answer)
    return {Verdict::note, "listener", server.url + ": " + answer.error().note,
            "start `semel serve`, or set SEMEL_URL to where it runs"};
  if (answer->status == 401)
    return {Verdict::note, "listener", server.url + " answers, and does not know SEMEL_KEY",
            "set SEMEL_KEY to an API key"};
  if (answer->status != 200)
    return {Verdict::bad, "listener", server.url + ": " + describe(*answer), "is SEMEL_URL a semel server?"};
  return {Verdict::good, "listener", server.url + " answers: " + answer->body, ""};
}

std::vector<Finding> check_everything(const app::Config& config) {
  const Loop loop;
  return {check_sqlite(sqlite3_libversion_number()),
          check_openssl(),
          check_store(config.database),
          check_master_key(config.master_key, exists(config.database)),
          check_clock(loop.wall()),
          check_egress(config.allowed),
          check_listener(config.listen)};
}

}  // namespace semel::cli
