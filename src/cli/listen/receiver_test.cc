// receiver_test.cc: the receiver's file: effects, their ledger, and who may open it.
#include "cli/listen/receiver.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/testing/temp_folder.h"
#include "cli/listen/sources.h"
#include "edge/sqlite/recording_vfs.h"

namespace semel::cli {
namespace {

// 2026-03-01T00:00:00Z
constexpr WallTime kNow{1'772'323'200'000};
constexpr std::string_view kSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
constexpr std::string_view kRotatedSecret = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";

class ReceiverOnFile : public testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.file(name); }
  std::string ledger() const {
    std::ifstream file(in_folder("ledger"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  ReceiverOptions options() const {
    return {.database = in_folder("db"),
            .consumer = "orders",
            .sources = {{"shop", {*signature::parse_verifier_key(kSecret)}}},
            .ledger = in_folder("ledger"),
            .effects = {}};
  }
  std::unique_ptr<Receiver> open() const { return std::move(Receiver::open(options()).value()); }

 private:
  TempFolder folder_;
};

inbox::WireAnswer deliver(Receiver& receiver, const std::string& id, const std::string& body,
                          std::string_view secret = kSecret) {
  std::vector<signature::Signer::Key> keys;
  keys.push_back({*signature::parse_secret(secret), {}});
  const std::string signature = signature::Signer(std::move(keys)).sign(id, kNow, body);
  const std::string timestamp = signature::format_timestamp(kNow);
  const client::Incoming incoming{id, timestamp, signature, body};
  return receiver.receive({&incoming, 1}, kNow).front();
}

std::string keyed(int number) {
  return R"({"id":"e)" + std::to_string(number) + R"(","type":"order.changed","ordering_key":"k","sequence":)" +
         std::to_string(number) + R"(,"delivery":{"endpoint":"ep_1","round":1,"after":)" + std::to_string(number - 1) +
         R"(},"data":{"n": 1}})";
}

// SHA-256 of the bytes {"n": 1}, computed with sha256sum.
constexpr std::string_view kDataDigest = "e5d5f7c1d225fd6b13623ebb1b5b9d075c705659f81868b1e37005a0923b0346";

TEST_F(ReceiverOnFile, effects_stand_in_the_ledger_in_their_order) {
  const auto receiver = open();
  EXPECT_EQ(deliver(*receiver, "e2", keyed(2)).disposition, "parked");
  EXPECT_EQ(ledger(), "");
  EXPECT_EQ(deliver(*receiver, "e1", keyed(1)).disposition, "applied");
  EXPECT_TRUE(receiver->drain_wanted());
  EXPECT_FALSE(receiver->drain(kNow));
  EXPECT_EQ(deliver(*receiver, "e1", keyed(1)).disposition, "duplicate");
  const std::string common = R"("endpoint":"ep_1","ordering_key":"k",)";
  const std::string digest = R"("data_sha256":")" + std::string(kDataDigest) + "\"}\n";
  EXPECT_EQ(ledger(), R"({"effect_no":1,"source":"shop","event_id":"e1",)" + common + R"("sequence":1,)" + digest +
                          R"({"effect_no":2,"source":"shop","event_id":"e2",)" + common + R"("sequence":2,)" + digest);
  EXPECT_EQ(receiver->totals()->effects, 2u);
}

// SQLite files are opened through it while it lives.
class RecordingDisk {
 public:
  RecordingDisk() : usual_(sqlite3_vfs_find(nullptr)) { use(sqlite3_vfs_find(vfs.name().c_str())); }
  ~RecordingDisk() { use(usual_); }
  sqlite::RecordingVfs vfs{"listening"};

 private:
  static void use(sqlite3_vfs* vfs) { SEMEL_CHECK(sqlite3_vfs_register(vfs, 1) == SQLITE_OK); }
  sqlite3_vfs* usual_;
};

TEST_F(ReceiverOnFile, nothing_is_answered_before_the_sync_of_what_it_speaks_of) {
  RecordingDisk disk;
  const auto receiver = open();
  for (const auto& [number, disposition] : {std::pair(3, "parked"), {2, "parked"}, {1, "applied"}}) {
    const int writes_before = disk.vfs.log_writes();
    EXPECT_EQ(deliver(*receiver, "e" + std::to_string(number), keyed(number)).disposition, disposition);
    EXPECT_GT(disk.vfs.log_writes(), writes_before);
    EXPECT_TRUE(disk.vfs.log_is_synced());
  }
}

TEST_F(ReceiverOnFile, a_ledger_that_lags_behind_is_completed_at_the_start) {
  deliver(*open(), "e1", keyed(1));
  deliver(*open(), "e2", keyed(2));
  const std::string whole = ledger();
  const std::size_t first_line = whole.find('\n') + 1;
  for (const std::size_t kept : {std::size_t{0}, std::size_t{5}, first_line, first_line + 1, whole.size() - 1}) {
    std::filesystem::resize_file(in_folder("ledger"), kept);
    open();
    EXPECT_EQ(ledger(), whole) << kept << " bytes were left";
  }
}

TEST_F(ReceiverOnFile, a_ledger_of_another_database_is_refused) {
  deliver(*open(), "e1", keyed(1));
  std::filesystem::remove(in_folder("db"));
  std::filesystem::remove(in_folder("db-wal"));
  EXPECT_EQ(Receiver::open(options()).error().fault, Fault::conflict);
  std::ofstream(in_folder("ledger")) << "shopping list\n";
  EXPECT_EQ(Receiver::open(options()).error().fault, Fault::corrupt);
}

TEST_F(ReceiverOnFile, an_effect_that_cannot_be_written_down_is_not_spoken_of) {
  ReceiverOptions full = options();
  full.ledger = "/dev/full";
  const auto receiver = std::move(Receiver::open(std::move(full)).value());
  EXPECT_EQ(deliver(*receiver, "e1", keyed(1)).status, 503);
  EXPECT_EQ(receiver->totals()->effects, 1u);
  EXPECT_EQ(deliver(*receiver, "e1", keyed(1)).status, 503);
}

TEST_F(ReceiverOnFile, a_second_process_is_refused_with_the_pid_of_the_first) {
  const auto receiver = open();
  const Result<std::unique_ptr<Receiver>> second = Receiver::open(options());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().fault, Fault::busy);
  EXPECT_NE(second.error().note.find(std::to_string(getpid())), std::string::npos) << second.error().note;
}

TEST_F(ReceiverOnFile, what_is_no_database_is_refused_and_left_alone) {
  std::ofstream(in_folder("db")) << std::string(5'000, 'x');
  EXPECT_FALSE(Receiver::open(options()));
  EXPECT_EQ(std::filesystem::file_size(in_folder("db")), 5'000u);
}

TEST_F(ReceiverOnFile, a_refused_type_is_rejected_without_an_effect) {
  ReceiverOptions strict = options();
  strict.effects.refused_types = {"order.changed"};
  const auto receiver = std::move(Receiver::open(std::move(strict)).value());
  const inbox::WireAnswer answer = deliver(*receiver, "e1", keyed(1));
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.body, R"({"status":"rejected","reason":"type_refused"})");
  EXPECT_EQ(receiver->totals()->effects, 0u);
}

TEST_F(ReceiverOnFile, the_log_stays_short_however_much_is_written) {
  const auto receiver = open();
  const std::string filler(100'000, 'x');
  for (int i = 0; i < 200; ++i) {
    const std::string id = "msg_" + std::to_string(i);
    // Parked for ever, so that the body is stored.
    const std::string body = R"({"id":")" + id + R"(","ordering_key":"k)" + std::to_string(i) +
                             R"(","sequence":2,"delivery":{"endpoint":"ep_1","after":1},"data":")" + filler + R"("})";
    ASSERT_EQ(deliver(*receiver, id, body).disposition, "parked");
  }
  EXPECT_LT(std::filesystem::file_size(in_folder("db-wal")), 8'000'000u);
  EXPECT_GT(std::filesystem::file_size(in_folder("db")), 15'000'000u);
}

TEST_F(ReceiverOnFile, a_source_may_have_several_secrets_while_one_is_rotated) {
  std::ofstream(in_folder("first")) << kSecret << "\n";
  std::ofstream(in_folder("second")) << "\n  " << kRotatedSecret << "  \n";
  ReceiverOptions rotating = options();
  rotating.sources = *read_sources({"shop=" + in_folder("first"), "shop=" + in_folder("second")});
  ASSERT_EQ(rotating.sources.size(), 1u);
  const auto receiver = std::move(Receiver::open(std::move(rotating)).value());
  EXPECT_EQ(deliver(*receiver, "e1", keyed(1)).disposition, "applied");
  EXPECT_EQ(deliver(*receiver, "e1", keyed(1), kRotatedSecret).disposition, "duplicate");
}

TEST_F(ReceiverOnFile, sources_without_a_usable_secret_are_refused) {
  std::ofstream(in_folder("empty")) << "\n";
  std::ofstream(in_folder("wrong")) << "secret\n";
  for (const std::string& source :
       {"shop=" + in_folder("empty"), "shop=" + in_folder("wrong"), "shop=" + in_folder("absent"), std::string("shop"),
        std::string("shop="), "=" + in_folder("empty")})
    EXPECT_FALSE(read_sources({source})) << source;
}

}  // namespace
}  // namespace semel::cli
