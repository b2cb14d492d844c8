// files.cc: write beside, fsync, rename, fsync the folder; and a bounded read.
#include "edge/os/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "edge/os/descriptor.h"

namespace semel {

void keep_new_files_private() { ::umask(077); }

namespace {

Fault fault_of(int error) {
  if (error == ENOENT || error == ENOTDIR) return Fault::not_found;
  if (error == EACCES || error == EPERM) return Fault::forbidden;
  if (error == EISDIR || error == ELOOP) return Fault::invalid;
  return Fault::unavailable;
}

std::unexpected<Error> fail_errno(Fault fault, std::string_view action, const std::string& path) {
  return fail(fault, fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(errno)));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The path of the finished file beside the one to be replaced.
Result<std::string> write_beside(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string beside = path + ".XXXXXX";
  Descriptor file(mkostemp(beside.data(), O_CLOEXEC));
  if (!file) return fail_errno(Fault::unavailable, "create a file beside", path);
  if (fchmod(file.get(), mode) == 0 && write_all(file.get(), bytes) && fsync(file.get()) == 0 && file.close()) {
    return beside;
  }
  auto failure = fail_errno(Fault::unavailable, "write", path);
  unlink(beside.c_str());
  return failure;
}

}  // namespace

Result<void> write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const Descriptor directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return fail_errno(Fault::unavailable, "open the folder of", path);

  SEMEL_TRY(beside, write_beside(path, bytes, mode));
  if (rename(beside.c_str(), path.c_str()) != 0) {
    auto failure = fail_errno(Fault::unavailable, "replace", path);
    unlink(beside.c_str());
    return failure;
  }
  if (fsync(directory.get()) != 0) return fail_errno(Fault::unknown_outcome, "make durable", path);
  return {};
}

Result<std::string> read_small_file(const std::string& path, std::size_t size_max) {
  // Non-blocking, so that opening a pipe without a writer does not wait.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail_errno(fault_of(errno), "open", path);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return fail_errno(Fault::unavailable, "read", path);
  if (!S_ISREG(status.st_mode)) return fail(Fault::invalid, fmt::format("{} is not a regular file", path));

  std::string bytes(size_max + 1, '\0');  // one more than allowed, to see that there is more
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(Fault::unavailable, "read", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > size_max) return fail(Fault::invalid, fmt::format("{} is over {} bytes", path, size_max));
  bytes.resize(size);
  return bytes;
}

}  // namespace semel
