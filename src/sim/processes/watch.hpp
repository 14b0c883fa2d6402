// Whether a client of a GPU still runs, and its number here. No thread watches clients: whoever reads looks.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/processes/descendants.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::processes {

enum class Life {
  runs,
  ended,
  elsewhere,  // in a PID namespace that is not below this one: it has no number here, and holds its memory
};

class Watch {
 public:
  explicit Watch(const Machine& machine) : machine_(machine) {}

  // A client in the machine's table.
  Life look(const Client& client);
  // The number, in the PID namespace of this process, of the client that was looked at last and runs.
  std::uint32_t pid() const { return pid_; }

 private:
  Life look_elsewhere(const Client& client);
  bool is_here(const Client& client);

  const Machine& machine_;
  std::uint32_t pid_ = 0;
  std::optional<std::uint64_t> namespace_;
  Descendants descendants_;
};

// Is the number of the client one of this PID namespace?
bool is_of_namespace(const Client& client, std::uint64_t own);

// Gives a sign of life for the client, a place of the machine's table that this process takes. False where the machine
// is in no file, or its file system has no such locks.
bool give_sign(const Machine& machine, const Client& place);
void release_sign(const Machine& machine, const Client& place);

}  // namespace nvmlkit::sim::processes
