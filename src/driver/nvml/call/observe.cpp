#include "driver/nvml/call/observe.hpp"

#include <cstring>
#include <ctime>
#include <optional>

#include "driver/nvml/call/arguments.hpp"
#include "driver/nvml/call/failing_gpu.hpp"
#include "driver/nvml/call/log.hpp"
#include "driver/nvml/call/process_hooks.hpp"
#include "driver/nvml/field_values/field_values.hpp"

namespace nvmlkit::driver {
namespace {

std::uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void sleep_for(std::uint64_t ns) {
  timespec left{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  while (nanosleep(&left, &left) != 0) {
  }
}

// The GPU that the call is about, null for one about the host.
const sim::model::Gpu* gpu_of(const sim::Machine& machine, Symbol symbol, const void* const* arguments) {
  for (const auto& argument : arguments_of(symbol)) {
    const void* at = *arguments++;
    if (argument.kind != ArgumentKind::device || argument.role != ArgumentRole::self || argument.pointers != 0)
      continue;
    abi::nvmlDevice_t device = nullptr;
    std::memcpy(&device, at, sizeof device);
    return find_gpu(machine, device);
  }
  return nullptr;
}

// The effect of rules on the call: an error to return, after all delays.
std::optional<abi::nvmlReturn_t> disturbed(Symbol symbol, const sim::Machine* machine, const sim::model::Gpu* gpu) {
  const auto place = gpu ? static_cast<std::uint32_t>(gpu - machine->gpus().data()) : sim::calls::kAnyGpu;
  auto verdict = process_hooks().rules.judge(symbol, place, false);
  if (machine) {
    const auto shared = machine->call_rules().judge(symbol, place, machine->access() == sim::Access::read_only);
    verdict.delay_ns += shared.delay_ns;
    if (verdict.result == sim::calls::kNoResult) verdict.result = shared.result;
  }
  if (verdict.delay_ns != 0) sleep_for(verdict.delay_ns);
  if (verdict.result == sim::calls::kNoResult) return std::nullopt;
  return static_cast<abi::nvmlReturn_t>(verdict.result);
}

// Clients look at the result of each field value, whatever the call returns. So an error of the call is also that of
// each value. A GPU that needs a reset still has the values that ask for the reset.
abi::nvmlReturn_t refuse_values(const sim::Machine* machine, const void* const* arguments, abi::nvmlReturn_t refusal,
                                abi::nvmlReturn_t (*answer)(void*), void* context) {
  int count = 0;
  abi::nvmlFieldValue_t* values = nullptr;
  std::memcpy(&count, arguments[1], sizeof count);
  std::memcpy(&values, arguments[2], sizeof values);
  if (values == nullptr) return refusal;
  const bool needs_reset = machine != nullptr && refusal == abi::NVML_ERROR_RESET_REQUIRED;
  if (needs_reset && answer(context) != abi::NVML_SUCCESS) return refusal;
  for (int i = 0; i < count; ++i)
    if (!needs_reset || !is_of_recovery(*machine, values[i].fieldId)) values[i].nvmlReturn = refusal;
  return needs_reset ? abi::NVML_SUCCESS : refusal;
}

abi::nvmlReturn_t answer_of(Symbol symbol, const void* const* arguments, abi::nvmlReturn_t (*answer)(void*),
                            void* context) {
  const auto* machine = initialized_machine();
  const auto* gpu = machine ? gpu_of(*machine, symbol, arguments) : nullptr;
  const auto refuse = [&](abi::nvmlReturn_t refusal) {
    if (symbol != Symbol::DeviceGetFieldValues) return refusal;
    return refuse_values(machine, arguments, refusal, answer, context);
  };
  if (const auto told = disturbed(symbol, machine, gpu)) return refuse(*told);
  if (gpu) {
    const auto refusal = refused_by_fault(*machine, *gpu, symbol);
    if (refusal != abi::NVML_SUCCESS) return refuse(refusal);
  }
  return answer(context);
}

}  // namespace

abi::nvmlReturn_t detail::observe(Symbol symbol, const void* const* arguments, abi::nvmlReturn_t (*answer)(void*),
                                  void* context) {
  const int log = process_hooks().log;
  if (log < 0) return answer_of(symbol, arguments, answer, context);
  const auto before = nanoseconds();
  const auto result = answer_of(symbol, arguments, answer, context);
  log_call(log, symbol, arguments, result, nanoseconds() - before);
  return result;
}

}  // namespace nvmlkit::driver
