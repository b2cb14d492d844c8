// outside_reader.h: reads a receiver's file as somebody else would, with SQL of its own.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/history.h"

namespace semel::sim {

class OutsideReader {
 public:
  OutsideReader(const std::string& path, const std::string& vfs);
  ~OutsideReader();
  OutsideReader(const OutsideReader&) = delete;
  OutsideReader& operator=(const OutsideReader&) = delete;

  // nullopt: the file cannot be read now. `receiver` is left empty.
  std::optional<std::vector<Effect>> effects_after(std::int64_t effect_no);
  std::optional<ReceiverState> state();

 private:
  void open();
  void close();
  template <class F>
  bool each(const char* sql, std::int64_t parameter, F row);

  const std::string path_;
  const std::string vfs_;
  sqlite3* db_ = nullptr;  // nullptr: opened at the next look
};

}  // namespace semel::sim
