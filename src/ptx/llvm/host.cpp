#include "ptx/llvm/host.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/Function.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#include <fstream>
#include <string>
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

// Whether microcode holds back what a gather reads until it is known to be allowed. Old kernels do not say.
bool leaks_by_gathers() {
  std::string line;
  std::getline(std::ifstream("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"), line);
  return line != "Not affected";
}

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

// AMD's processors take a store with a mask of AVX2 apart into many steps. On a Zen 3, four of 8 words take 16 ns, and
// to load, change and store these words takes 2.5 ns.
bool has_fast_masked_stores() {
  static const bool can = !llvm::sys::getHostCPUName().starts_with("znver") || (has("avx512f") && most_bits() != "256");
  return can;
}

// Of AMD's processors, from Zen 3 on (measured there). Of Intel's, those in which no microcode against a leak makes
// them slow (measured on an Emerald Rapids); Haswell and Broadwell have slow ones anyway.
bool has_fast_gathers() {
  static const bool can = [] {
    const auto name = llvm::sys::getHostCPUName();
    if (!has("avx2") || name == "haswell" || name == "broadwell") return false;
    return name.starts_with("znver") ? name != "znver1" && name != "znver2" : !leaks_by_gathers();
  }();
  return can;
}

// Measured on an Emerald Rapids. AMD's processors take them apart into many steps, and were not measured.
bool has_fast_scatters() {
  static const bool can = has("avx512f") && most_bits() != "256" && !llvm::sys::getHostCPUName().starts_with("znver");
  return can;
}

bool selects_constants() { return true; }

bool has_vectors_of_bits() { return true; }

#else

// A name of a processor of Arm's also stands for instructions that a kernel or a virtual machine may leave out. So only
// those count that the kernel lists.
void settle_processor(llvm::orc::JITTargetMachineBuilder& builder) { builder.setCPU("generic"); }

void tune(llvm::Function& code) { code.addFnAttr("tune-cpu", llvm::sys::getHostCPUName()); }

bool converts_halves() { return true; }

bool has_masked_accesses() { return false; }

bool has_fast_masked_stores() { return true; }

bool has_fast_gathers() { return false; }

bool has_fast_scatters() { return false; }

bool selects_constants() { return false; }

bool has_vectors_of_bits() { return false; }

#endif

}  // namespace nvmlkit::ptx::jit
