// The clients of a GPU: processes that use it, found by their PIDs. No thread watches them: a reader skips ended
// processes, a writer removes them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "sim/processes/watch.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::processes {

// Calls `visit(client, life)` for every client of the GPU that has not ended. One that runs has the number that it has
// in the PID namespace of this process. Belongs into consistently(), like every read.
template <class Visit>
void for_each_client(const Machine& machine, std::size_t gpu, Visit visit) {
  Watch watch(machine);
  for (const auto& client : machine.process_table(gpu).places()) {
    if (client.pid == 0) continue;
    const auto life = watch.look(client);
    if (life == Life::ended) continue;
    if (watch.pid() == client.pid) {
      visit(client, life);
    } else {
      auto here = client;
      here.pid = watch.pid();
      visit(std::as_const(here), life);
    }
  }
}

struct InnerProcess;

// A process that wants to use a GPU.
struct Request {
  std::uint32_t pid = 0;
  std::uint32_t kinds = compute;
  std::uint64_t memory_bytes = 0;
  std::uint32_t share = 1;  // of the GPU's utilization, beside the other clients
  std::uint32_t gpu_instance = kNoInstance, compute_instance = kNoInstance;
  std::string_view name{};  // empty: what the system calls it
  // The caller is the process, and goes on in its program: others see its end in any PID namespace.
  bool signs_life = false;
  std::uint16_t load_percent = 0;  // of the GPU, that a container asks for; 0: none
};

enum class Outcome {
  done,
  no_such_process,
  not_attached,
  taken,          // another process of the GPU has the PID
  full,           // max_clients use the GPU
  out_of_memory,  // of the GPU
  prohibited,     // by the compute mode
  exclusive,      // the compute mode allows one process, and there is one
  draining,       // the GPU takes no new clients
  reset_first,    // nor does one that needs a reset
  unreachable,    // the GPU is lost, or off the bus
  read_only,      // the state file may only be read
  busy,           // another writer was stopped while it held the lock
  no_room,        // the disk of the state file is full
};

// One line for people.
std::string_view text_of(Outcome outcome);

// Makes the process a client of the GPU. One that is a client already gets the further kinds and memory. The number
// is that of the caller's PID namespace; the process may be in one below it.
Outcome attach(const Machine& machine, std::size_t gpu, const Request& request);

// How much memory of the GPU the client holds from now on.
Outcome set_memory(const Machine& machine, std::size_t gpu, std::uint32_t pid, std::uint64_t bytes,
                   std::uint32_t gpu_instance = kNoInstance, std::uint32_t compute_instance = kNoInstance);

// Ends the process's use of the GPU, in all instances. For who lets go before it ends, or who saw it end.
Outcome detach(const Machine& machine, std::size_t gpu, std::uint32_t pid);

// The same of a process that has ended for certain, though nobody here may see that.
Outcome detach(const Machine& machine, std::size_t gpu, const InnerProcess& process);

// Removes clients that have ended, so that their accounting gets its end.
void remove_ended(const Machine& machine, std::size_t gpu);

// Does anything run on the GPU, configured processes included?
bool in_use(const Machine& machine, const model::Gpu& gpu, std::size_t index);

}  // namespace nvmlkit::sim::processes
