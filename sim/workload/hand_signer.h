// hand_signer.h: somebody who holds a receiver's secret and sends to it directly, in whatever order, what a server of
// ours never would: late events, forgeries, bodies of other senders, versions that go back.
#pragma once

#include <string>

#include "core/signature/signature.h"
#include "port/scope.h"
#include "sim/workload/stage.h"

namespace semel::sim {

class HandSigner {
 public:
  HandSigner(Stage& stage, ReceiverNode& receiver);

  void start();
  bool done() const { return scope_.running() == 0; }

 private:
  struct Made {
    std::string id;
    std::string body;
    bool forged = false;
    bool told = true;  // whether an effect follows from `applied` and `duplicate`
  };
  Co<void> run();
  Co<void> send(Made made);
  Made ordered(int key, std::uint64_t sequence, std::uint64_t after);
  Made draw_one();

  Stage& stage_;
  ReceiverNode& receiver_;
  ClientHost host_;
  Draw draw_;
  signature::Signer signer_;
  signature::Signer forger_;
  Scope scope_;
};

}  // namespace semel::sim
