// failure.h: how a failure is told to a person: what happened, and the way out.
#pragma once

#include <string>

#include "base/result.h"

namespace semel::http {
struct SimpleAnswer;
}

namespace semel::cli {

// One line on standard error, and where it helps a second one with what to do. Returns the exit code.
int report(const Error& error);
// An answer that is not a success: its code, its detail, and what to do.
int report(const http::SimpleAnswer& answer);

// "CODE: detail", or the status when the body is no problem.
std::string describe(const http::SimpleAnswer& answer);

}  // namespace semel::cli
