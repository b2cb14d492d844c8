// command_test.cc: command lines that make no sense are refused before anything is sent.
#include <fstream>

#include "support/process.h"
#include "support/rig.h"

namespace semel::tests {
namespace {

class Command : public Rig {
 protected:
  // SEMEL_URL names a port where nobody listens, so what is sent after all ends otherwise than with exit code 2.
  harness::Finished run(std::vector<std::string> arguments) {
    const Result<harness::Finished> finished =
        harness::run({.program = SEMEL_TEST_PROGRAM,
                      .arguments = std::move(arguments),
                      .environment = {{"SEMEL_URL", "http://127.0.0.1:1"}, {"SEMEL_KEY", "key_x.y"}},
                      .input = {}},
                     kPatience);
    EXPECT_TRUE(finished) << note_of(finished);
    return finished ? *finished : harness::Finished{};
  }
};

// One key for every line of a file would make all of them repetitions of the first.
TEST_F(Command, send_refuses_options_about_one_event_together_with_a_file_of_many) {
  std::ofstream(folder_.file("events")) << R"({"type":"a.b","data":1})" << "\n";
  for (const char* option : {"--idempotency-key", "--id", "--ordering-key", "--data"}) {
    const harness::Finished finished = run({"send", "--file", folder_.file("events"), option, "k"});
    EXPECT_EQ(finished.exit.code, 2) << option << ": " << finished.output;
    EXPECT_TRUE(finished.output.contains("with --file each line says all")) << finished.output;
  }
}

}  // namespace
}  // namespace semel::tests
