// Who changes the memory of GPUs. A kernel that is alone with it changes it by plain instructions of the host
// (run/alone.hpp); a change by another thread would be lost between their load and their store.
#pragma once

namespace nvmlkit::ptx {

// While one of these lives, its thread may change memory of GPUs: a launch, a copy, a fill, a kernel of a library. The
// constructor waits for the end of a turn that is alone.
class ChangingMemory {
 public:
  ChangingMemory();
  ~ChangingMemory();
  ChangingMemory(const ChangingMemory&) = delete;
  ChangingMemory& operator=(const ChangingMemory&) = delete;
};

// From now on another process may change it, too.
void others_share_memory();

}  // namespace nvmlkit::ptx
