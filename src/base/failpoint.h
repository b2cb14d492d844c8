// failpoint.h: named places where a test can kill, stop or fail this process.
//
// The shipped program links failpoint/off.cc (empty functions); the test program `semel-test` links failpoint/on.cc,
// which acts on SEMEL_FP="name:kill@n[,name:kill@n]" (SIGKILL at the n-th hit). The places are listed in
// docs/testing.md.
#pragma once

namespace semel {

void failpoint(const char* name);

}  // namespace semel
