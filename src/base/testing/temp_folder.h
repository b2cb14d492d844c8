// temp_folder.h: a folder of one's own that is gone afterwards, unless it is to be looked at.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"

namespace semel {

enum class Afterwards { remove, keep };

class TempFolder {
 public:
  explicit TempFolder(Afterwards afterwards = Afterwards::remove) : afterwards_(afterwards) {
    std::string name = (std::filesystem::temp_directory_path() / "semel-XXXXXX").string();
    SEMEL_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    if (afterwards_ == Afterwards::remove) std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  void keep() { afterwards_ = Afterwards::keep; }

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  Afterwards afterwards_;
};

}  // namespace semel
