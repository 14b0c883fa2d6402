#include "ptx/llvm/host.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/Function.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#include <string_view>

namespace nvmlkit::ptx::jit {

#if defined(__x86_64__)

namespace {

std::string_view most_bits() {
  const char* const set = std::getenv("NVMLKIT_CUDA_VECTORS");
  return set ? set : "";
}

// What belongs to AVX.
bool has(const char* feature) { return most_bits() != "128" && llvm::sys::getHostCPUFeatures().lookup(feature); }

}  // namespace

void settle_processor(llvm::orc::JITTargetMachineBuilder& builder) {
  if (most_bits() == "256") builder.getFeatures().AddFeature("avx512f", false);
  if (most_bits() == "128") builder.getFeatures().AddFeature("avx", false);
  if (has_fast_gathers()) builder.getFeatures().AddFeature("fast-gather");
}

void tune(llvm::Function&) {}  // the builder has the name of the processor

bool converts_halves() {
  static const bool can = has("f16c");
  return can;
}

bool has_masked_accesses() {
  static const bool can = has("avx");
  return can;
}

// Measured on Zen 3, where hotspot of Rodinia took 2.6 s in place of 2.7. Other makers' were not measured; on some of
// Intel's, microcode against a leak makes these instructions slow.
bool has_fast_gathers() {
  static const bool can = [] {
    const auto name = llvm::sys::getHostCPUName();
    return has("avx2") && name.starts_with("znver") && name != "znver1" && name != "znver2";
  }();
  return can;
}

bool has_vectors_of_bits() { return true; }

#else

// A name of a processor of Arm's also stands for instructions that a kernel or a virtual machine may leave out. So only
// those count that the kernel lists.
void settle_processor(llvm::orc::JITTargetMachineBuilder& builder) { builder.setCPU("generic"); }

void tune(llvm::Function& code) { code.addFnAttr("tune-cpu", llvm::sys::getHostCPUName()); }

bool converts_halves() { return true; }

bool has_masked_accesses() { return false; }

bool has_fast_gathers() { return false; }

bool has_vectors_of_bits() { return false; }

#endif

}  // namespace nvmlkit::ptx::jit
