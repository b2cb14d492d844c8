// files.h: small whole files: keys, tokens, configuration. Blocking; for start-up, command line and lanes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace semel {

// Files this process makes from now on are its user's alone: events and effects are nobody else's to read.
void keep_new_files_private();

// After success the file holds exactly `bytes`, also after a power loss; before, and on any failure but
// unknown_outcome, the old file stands as it was. A reader sees the old or the new bytes, never a mixture.
// Fault::unavailable: surely not written. Fault::unknown_outcome: the new file is there, but whether it would survive a
// power loss is not known.
Result<void> write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode);

// Fault::not_found, Fault::forbidden, Fault::invalid (not a regular file, or over size_max bytes), else
// Fault::unavailable.
Result<std::string> read_small_file(const std::string& path, std::size_t size_max);

}  // namespace semel
