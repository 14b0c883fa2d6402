#include "driver/cuda/launches/fault_report.hpp"

#include <cinttypes>
#include <cstdio>

namespace nvmlkit::cuda {
namespace {

std::string hex(std::uint64_t value) {
  char out[24];
  std::snprintf(out, sizeof out, "0x%" PRIx64, value);
  return out;
}

std::string triple(const std::uint32_t (&at)[3]) {
  char out[40];
  std::snprintf(out, sizeof out, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", at[0], at[1], at[2]);
  return out;
}

std::string error_text(const ptx::Fault& fault) {
  switch (fault.kind) {
    case ptx::FaultKind::illegal_address:
      return "illegal memory access at address " + hex(fault.address);
    case ptx::FaultKind::misaligned_address:
      return "misaligned memory access at address " + hex(fault.address);
    case ptx::FaultKind::illegal_instruction:
      return "illegal instruction: nothing to call or to read at " + hex(fault.address);
    case ptx::FaultKind::not_simulated:
      return fault.text;
    case ptx::FaultKind::stack_overflow:
      return "stack overflow: see cuCtxSetLimit(CU_LIMIT_STACK_SIZE)";
    case ptx::FaultKind::trap:
      return fault.text.empty() ? "trap" : fault.text + " at address " + hex(fault.address);
    case ptx::FaultKind::deadlock:
      return "deadlock: every thread waits at a barrier that the others never reach";
    case ptx::FaultKind::none:
    case ptx::FaultKind::assertion:
    case ptx::FaultKind::stopped:
    case ptx::FaultKind::lanes_ended:
      break;
  }
  return {};
}

}  // namespace

std::string report_of(const ptx::Fault& fault, const ptx::Function& kernel) {
  const auto error = error_text(fault);
  if (error.empty()) return {};
  std::string out = "kernel " + kernel.name + ": " + error;
  if (fault.kind == ptx::FaultKind::deadlock) return out;
  out += ", block " + triple(fault.block) + ", thread " + triple(fault.thread);
  if (fault.function != kernel.name) out += ", in function " + fault.function;
  if (fault.line > 0) out += ", PTX line " + std::to_string(fault.line);
  return out;
}

}  // namespace nvmlkit::cuda
