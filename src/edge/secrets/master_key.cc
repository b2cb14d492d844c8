// master_key.cc: read with its permissions checked on the open file; made beside, then linked to its name.
#include "edge/secrets/master_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/bytes.h"

namespace semel {
namespace {

constexpr std::size_t kHexDigits = 2 * MasterKey::kSize;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// A file that goes away when this does: the name under which a new key is written.
class TemporaryName {
 public:
  explicit TemporaryName(std::string path) : path_(std::move(path)) {}
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  ~TemporaryName() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::unexpected<Error> fail_errno(Fault fault, std::string_view action, const std::string& path, int error) {
  return fail(fault,
              fmt::format("cannot {} the master key {}: {}", action, path, std::generic_category().message(error)));
}

// The open file is checked, not its name: nobody can change it in between.
Result<void> check_private(int fd, const std::string& path) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail_errno(Fault::unavailable, "read", path, errno);
  if (!S_ISREG(status.st_mode)) return fail(Fault::invalid, fmt::format("the master key {} is not a file", path));
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(Fault::forbidden, fmt::format("other users may read or change the master key {}: chmod 600 it", path));
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return fail(Fault::forbidden, fmt::format("the master key {} belongs to another user", path));
  return {};
}

// One byte more than a key with its newline, so that a longer file is seen to be longer.
Result<std::string> read_text(int fd, const std::string& path) {
  std::array<char, kHexDigits + 2> buffer;
  std::size_t length = 0;
  while (length < buffer.size()) {
    const ssize_t got = ::read(fd, buffer.data() + length, buffer.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(Fault::unavailable, "read", path, errno);
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  std::string text(buffer.data(), length);
  OPENSSL_cleanse(buffer.data(), buffer.size());
  return text;
}

Result<MasterKey> parse_key(std::string text, const std::string& path) {
  if (text.ends_with('\n')) text.pop_back();
  auto decoded = from_hex(text);
  OPENSSL_cleanse(text.data(), text.size());
  if (!decoded || decoded->size() != MasterKey::kSize)
    return fail(Fault::invalid, fmt::format("the master key {} is not {} hexadecimal digits", path, kHexDigits));
  std::array<std::uint8_t, MasterKey::kSize> bytes;
  std::ranges::copy(as_bytes(*decoded), bytes.begin());
  OPENSSL_cleanse(decoded->data(), decoded->size());
  const MasterKey key(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return key;
}

Result<MasterKey> read_key(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    const int error = errno;
    return fail_errno(error == ENOENT ? Fault::not_found : Fault::unavailable, "read", path, error);
  }
  SEMEL_TRY_VOID(check_private(file.get(), path));
  SEMEL_TRY(text, read_text(file.get(), path));
  return parse_key(std::move(text), path);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<void> sync_folder_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const Descriptor folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return fail_errno(Fault::unavailable, "keep", path, errno);
  return {};
}

std::string new_key_text(Random& random) {
  std::array<std::uint8_t, MasterKey::kSize> bytes;
  random.fill(bytes);
  std::string text = to_hex(as_text(bytes)) + "\n";
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return text;
}

// Linking, unlike renaming, never replaces a key that another process made meanwhile; then that one stands.
Result<void> make_key(const std::string& path, Random& random) {
  std::string beside = path + ".XXXXXX";
  const Descriptor file(::mkostemp(beside.data(), O_CLOEXEC));  // mode 0600
  if (file.get() < 0) return fail_errno(Fault::unavailable, "make", path, errno);
  const TemporaryName temporary(beside);
  std::string text = new_key_text(random);
  const bool written = write_all(file.get(), text) && ::fsync(file.get()) == 0;
  const int error = errno;
  OPENSSL_cleanse(text.data(), text.size());
  if (!written) return fail_errno(Fault::unavailable, "write", path, error);
  if (::link(temporary.path().c_str(), path.c_str()) != 0 && errno != EEXIST)
    return fail_errno(Fault::unavailable, "make", path, errno);
  return sync_folder_of(path);
}

}  // namespace

MasterKey::~MasterKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

Result<MasterKey> open_master_key(const MasterKeyFile& file, StoreAge store, Random& random) {
  auto key = read_key(file.path);
  const bool missing = !key && key.error().fault == Fault::not_found;
  if (!missing) return key;
  if (file.chosen == MasterKeyFile::Chosen::by_operator) return key;
  if (store == StoreAge::existing)
    return fail(Fault::not_found, fmt::format("the store is there but its master key {} is not: bring it back, "
                                              "or name its place with SEMEL_MASTER_KEY_FILE",
                                              file.path));
  SEMEL_TRY_VOID(make_key(file.path, random));
  return read_key(file.path);
}

}  // namespace semel
