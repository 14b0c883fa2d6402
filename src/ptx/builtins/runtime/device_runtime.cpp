#include "ptx/builtins/runtime/device_runtime.hpp"

#include <array>

#include "ptx/builtins/runtime/runtime_call.hpp"

namespace nvmlkit::ptx {

std::uint64_t thread_of(const BuiltinCall& call) {
  const auto& s = call.warp().special();
  const auto l = call.lane();
  const auto linear = [&](const auto& at, const auto& size) {
    return (std::uint64_t{at[2][l]} * size[1][l] + at[1][l]) * size[0][l] + at[0][l];
  };
  return linear(s.ctaid, s.nctaid) * s.ntid[0][l] * s.ntid[1][l] * s.ntid[2][l] + linear(s.tid, s.ntid);
}

void finish(const BuiltinCall& call, int error) {
  if (error != kSuccess) children_of(call).keep_error(thread_of(call), error);
  call.answer<std::int32_t>(error);
}

// Null for what is no kernel, or one whose PTX is wrong.
const Function* kernel_at(const BuiltinCall& call, std::uint64_t address) try {
  const auto& module = *call.warp().block.worker().grid.module;
  const auto& functions = module.functions;
  const auto index = (address - kCodeWindow) / 16;
  if (address < kCodeWindow || address % 16 != 0 || index >= functions.size()) return nullptr;
  const auto& f = functions[index];
  if (!f.is_entry || !f.is_defined) return nullptr;
  decode(module, f);
  return &f;
} catch (const Error&) {
  return nullptr;
}

namespace {

std::array<std::span<const Builtin>, 3> subjects() {
  return {launch_functions(), memory_functions(), question_functions()};
}

bool take_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

}  // namespace

int device_runtime_named(std::string_view name) {
  if (name == "__cudaDeviceSynchronizeDeprecationAvoidance") name = "cudaDeviceSynchronize";
  if (!take_prefix(name, "__cudaCDP2") && !take_prefix(name, "cuda")) return -1;
  if (name.ends_with("_ptsz")) name.remove_suffix(5);  // of programs with a default stream for each thread
  int number = 0;
  for (const auto functions : subjects())
    for (const auto& f : functions) {
      if (f.name == name) return number;
      ++number;
    }
  return -1;
}

const Builtin& device_runtime(std::size_t number) {
  const auto all = subjects();
  auto functions = all.begin();
  for (; number >= functions->size(); ++functions) number -= functions->size();
  return (*functions)[number];
}

}  // namespace nvmlkit::ptx
