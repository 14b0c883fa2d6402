#include "call.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace nvmlkit::contract {
namespace {

constexpr unsigned char kPattern = 0xA5;

}  // namespace

Library::Library() : handle_(dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) throw std::runtime_error(dlerror());
}

Library& Library::get() {
  static Library library;
  return library;
}

void* Library::symbol(const char* name) const {
  void* address = dlsym(handle_, name);
  if (!address) throw std::runtime_error(std::string("not exported: ") + name);
  return address;
}

int Library::call(const char* name) const { return reinterpret_cast<int (*)()>(symbol(name))(); }

std::uintptr_t device(unsigned int index) {
  void* device = nullptr;
  const auto get =
      reinterpret_cast<int (*)(unsigned int, void**)>(Library::get().symbol("nvmlDeviceGetHandleByIndex_v2"));
  if (get(index, &device) != kSuccess) throw std::runtime_error("no GPU " + std::to_string(index));
  return reinterpret_cast<std::uintptr_t>(device);
}

std::uintptr_t first_device() { return device(0); }

Call::Call(const Contract& contract) : contract_(contract) {
  for (std::size_t i = 0; i < contract.arguments.size(); ++i) {
    const auto& argument = contract.arguments[i];
    switch (argument.kind) {
      case Argument::device:
      case Argument::other_device:
        values_[i] = first_device();
        break;
      case Argument::vgpu_type:
        values_[i] = 1139;  // H100XM-8C, see machine.yaml
        break;
      case Argument::vgpu_instance:
        values_[i] = 7001;
        break;
      case Argument::foreign:
      case Argument::foreign_value:
        values_[i] = 0xDEADBEE0;
        break;
      case Argument::length_value:
        values_[i] = kLength;
        break;
      case Argument::enumeration:
      case Argument::value:
        break;
      default: {
        buffers_[i] = std::make_unique<unsigned char[]>(kBuffer);
        std::memset(buffers_[i].get(), kPattern, kBuffer);
        std::memset(buffers_[i].get(), 0, argument.size ? argument.size : kBuffer);
        if (argument.kind == Argument::length_pointer) set_number(i, kLength);
        if (argument.kind == Argument::versioned) set_number(i, contract.versions.front());
        values_[i] = reinterpret_cast<std::uintptr_t>(buffers_[i].get());
      }
    }
  }
}

std::uint32_t Call::number(std::size_t argument) const {
  std::uint32_t number = 0;
  std::memcpy(&number, buffers_[argument].get(), sizeof number);
  return number;
}

void Call::set_number(std::size_t argument, std::uint32_t number) {
  std::memcpy(buffers_[argument].get(), &number, sizeof number);
}

// All arguments are integers or pointers, which the calling convention passes alike.
int Call::run() {
  using Any = int (*)(std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t);
  const auto function = reinterpret_cast<Any>(Library::get().symbol(contract_.name));
  return function(values_[0], values_[1], values_[2], values_[3], values_[4], values_[5]);
}

const char* Call::overrun(std::size_t length) const {
  for (std::size_t i = 0; i < contract_.arguments.size(); ++i) {
    const auto& argument = contract_.arguments[i];
    if (!buffers_[i] || reinterpret_cast<std::uintptr_t>(buffers_[i].get()) != values_[i]) continue;
    if (argument.size) {
      for (std::size_t at = argument.size; at < kBuffer; ++at)
        if (buffers_[i][at] != kPattern) return argument.name;
    } else if (length) {
      for (std::size_t at = length; at < kBuffer; ++at)
        if (buffers_[i][at] != 0) return argument.name;
    }
  }
  return nullptr;
}

}  // namespace nvmlkit::contract
