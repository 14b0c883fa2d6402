// The process that the kernel log names with an error of a GPU.
#pragma once

#include "sim/events/ring.hpp"
#include "sim/native/processes.hpp"

namespace nvmlkit::sim::transaction {

// This process if it is a client of the GPU, else the first client that runs. Pid 0 if there is none.
events::Process client_of(const processes::Table& clients);

// This process.
events::Process this_process();

}  // namespace nvmlkit::sim::transaction
