// The view from its start to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "top/machine.hpp"
#include "top/steering.hpp"
#include "top/terminal.hpp"
#include "top/view.hpp"

namespace nvmlkit::top {

// On a terminal, until a key ends it. `steering` is null where the machine cannot be steered.
void run(Machine& machine, View view, Steering* steering, Terminal& terminal);

struct Batch {
  std::optional<std::uint64_t> frames;  // empty: without end
  Size size{kUnlimitedRows, 80};
};
// Frames as text. `write` returns false where nobody reads any more.
void run_batch(Machine& machine, View view, const Batch& batch, const std::function<bool(const std::string&)>& write);

}  // namespace nvmlkit::top
