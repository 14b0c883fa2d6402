// What programs with asynchronous copies share: memory, and a barrier in shared memory that counts bytes.
#pragma once

#include "check.hpp"

template <class T>
T* managed(std::size_t count) {
  T* out = nullptr;
  OK(cudaMallocManaged(&out, count * sizeof(T)));
  return out;
}

template <class T>
__device__ unsigned shared_address(T* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// One thread makes the barrier ready, for so many bytes.
__device__ inline void expect_bytes(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)));
  asm volatile("fence.proxy.async.shared::cta;");  // asynchronous copies see the barrier
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes));
}
__device__ inline void wait_for(unsigned long long* barrier) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(
          shared_address(barrier)));
}
