// checkpoint_rule.h: when a checkpoint may start beside a writer.
//
// SQLite before 3.51.3 can corrupt the file when a checkpoint starts on a fully copied log while the writer commits:
// the writer begins the log anew under it. So after a checkpoint that copied everything, the next one waits for a
// commit that began after it had returned, wrote frames, and has returned: then the log holds frames that are not
// copied. A commit that was under way when the checkpoint returned proves nothing, since it may have written either
// before or after the copy. Pure: no locks, no clock. Calls come in the order in which things happened.
#pragma once

namespace semel::sqlite {

class CheckpointRule {
 public:
  void commit_began() { began_after_full_copy_ = fully_copied_; }
  void commit_returned(bool wrote_frames) {
    if (began_after_full_copy_ && wrote_frames) fully_copied_ = false;
    began_after_full_copy_ = false;
  }
  void checkpoint_returned(bool full_copy) {
    if (full_copy) fully_copied_ = true;
  }
  bool may_start() const { return !fully_copied_; }

 private:
  bool fully_copied_ = true;  // as after the checkpoint that opening the store begins with
  bool began_after_full_copy_ = false;
};

}  // namespace semel::sqlite
