// What an operation on processes came to, in words.
#include "sim/processes/clients.hpp"

namespace nvmlkit::sim::processes {

std::string_view text_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::no_such_process:
      return "no such process";
    case Outcome::not_attached:
      return "the process does not use this GPU";
    case Outcome::taken:
      return "another process of the GPU has this PID";
    case Outcome::full:
      return "1024 processes use the GPU, and more have no place";
    case Outcome::out_of_memory:
      return "the GPU has not so much free memory";
    case Outcome::prohibited:
      return "the compute mode of the GPU is Prohibited";
    case Outcome::exclusive:
      return "the compute mode of the GPU is Exclusive_Process, and a process uses it";
    case Outcome::draining:
      return "the GPU is being drained and takes no new programs";
    case Outcome::reset_first:
      return "the GPU requires a reset before it can be used again";
    case Outcome::unreachable:
      return "the GPU is lost";
    case Outcome::read_only:
      return "the state file may only be read";
    case Outcome::busy:
      return "another writer was stopped while it held the machine";
    case Outcome::no_room:
      return "the disk of the state file is full";
  }
  return "unknown";
}
static_assert(kMaxClients == 1024, "text_of() says it");

}  // namespace nvmlkit::sim::processes
