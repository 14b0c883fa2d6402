// What tests for another processor cannot see under qemu-user (scripts/cross). Version 7.2 was read and tried.
#pragma once

#include <cstdlib>

namespace nvmlkit {

inline bool under_qemu() { return std::getenv("QEMU_LD_PREFIX") != nullptr; }

}  // namespace nvmlkit

// It has no list of robust locks (set_robust_list): a lock whose owner died is never released.
#define NVMLKIT_NEEDS_ROBUST_LOCKS() \
  if (::nvmlkit::under_qemu()) GTEST_SKIP() << "qemu-user has no robust locks"

// It makes up /proc/self/stat: forked children have the start time of their parent there, and threads have their own.
#define NVMLKIT_NEEDS_START_TIMES() \
  if (::nvmlkit::under_qemu()) GTEST_SKIP() << "qemu-user makes up the start time of a process"

// Its tables and translated code are memory of the process.
#define NVMLKIT_NEEDS_OWN_MEMORY() \
  if (::nvmlkit::under_qemu()) GTEST_SKIP() << "qemu-user uses memory of the process"
