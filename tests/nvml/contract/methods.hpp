// Every method of the bindings, in a form in which all of them can be called and held to one contract.
#pragma once

#include <nvmlkit/nvml.hpp>
#include <span>
#include <string>
#include <vector>

namespace nvmlkit::nvml::test {

// A C function that a method tries, and the version of its struct; 0 where it has none, or where a method written by
// hand does not say.
struct Candidate {
  const char* function;
  unsigned int struct_version;
};

// One object of each class, with handles that no driver gave.
struct Objects {
  explicit Objects(const Library& opened)
      : library(opened),
        device(opened.session(), handle<abi::nvmlDevice_t>()),
        unit(opened.session(), handle<abi::nvmlUnit_t>()),
        gpu_instance(opened.session(), handle<abi::nvmlGpuInstance_t>()),
        compute_instance(opened.session(), handle<abi::nvmlComputeInstance_t>()),
        vgpu_type(opened.session(), 1),
        vgpu_instance(opened.session(), 1) {}

  Library library;
  Device device;
  Unit unit;
  GpuInstance gpu_instance;
  ComputeInstance compute_instance;
  VgpuType vgpu_type;
  VgpuInstance vgpu_instance;

 private:
  template <class Native>
  static Native handle() {
    return reinterpret_cast<Native>(std::uintptr_t{0x1000});
  }
};

// What a method answered, without its type.
struct Answer {
  bool ok = true;
  bool tells = true;  // false where nothing comes back: a destructor, a text that cannot fail
  Errc code = Errc::success;
  std::string function;
  std::string message;
  std::string symbol;
  unsigned int struct_version = 0;
};

template <class T>
Answer answer_of(const Result<T>& result) {
  if (result) return {true, true, Errc::success, "", "", result.symbol(), result.struct_version()};
  const Failure& failure = result.error();
  return {false, true, failure.code(), failure.function(), failure.message(), "", 0};
}

using CallMethod = Answer (*)(const Objects&);

struct Method {
  const char* cpp;                        // "Device::power_usage"
  std::span<const Candidate> candidates;  // newest first
  CallMethod call;                        // null where by_hand_call() has it
};

// From the registry.
std::span<const Method> methods() noexcept;
// Of a method written by hand, by its newest C function; null when nobody wrote one.
CallMethod by_hand_call(const std::string& function);

inline CallMethod call_of(const Method& method) {
  return method.call ? method.call : by_hand_call(method.candidates.front().function);
}

}  // namespace nvmlkit::nvml::test
