// Prints what every function that takes a GPU answers on the GPU, or on the MIG device, that comes first:
// "NAME\tRESULT". NVMLKIT_MACHINE says on which machine. docs/reference/gpus.md is made of it.
//
//   answers [mig]
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "call.hpp"

namespace nvmlkit::contract {
namespace {

constexpr int kUnknown = 255;

std::optional<std::size_t> device_argument(const Contract& contract) {
  for (std::size_t i = 0; i < contract.arguments.size(); ++i)
    if (contract.arguments[i].kind == Argument::device) return i;
  return {};
}

// What a function answers depends on its enums and numbers: the best that any of their values gets.
int better(int one, int other) {
  const auto rank = [](int result) {
    return result == kUnknown ? 0 : result == kInvalidArgument ? 1 : result == kNotSupported ? 2 : 3;
  };
  return rank(other) > rank(one) ? other : one;
}

int ask(const Contract& contract, std::size_t device, std::uintptr_t handle) {
  std::vector<std::size_t> varying;
  for (std::size_t i = 0; i < contract.arguments.size(); ++i)
    if (contract.arguments[i].kind == Argument::enumeration || contract.arguments[i].kind == Argument::value)
      varying.push_back(i);
  const std::size_t values = varying.size() > 1 ? 6 : 12;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < varying.size(); ++i) combinations *= values;
  int result = kUnknown;
  for (std::size_t n = 0; n < combinations && better(kNotSupported, result) == kNotSupported; ++n) {
    Call call(contract);
    call.set(device, handle);
    std::size_t rest = n;
    for (const auto argument : varying) {
      call.set(argument, rest % values);
      rest /= values;
    }
    result = better(result, call.run());
  }
  return result;
}

std::uintptr_t subject(bool mig) {
  const auto gpu = first_device();
  if (!mig) return gpu;
  std::uintptr_t device = 0;
  const auto get = reinterpret_cast<int (*)(std::uintptr_t, unsigned int, std::uintptr_t*)>(
      Library::get().symbol("nvmlDeviceGetMigDeviceHandleByIndex"));
  if (get(gpu, 0, &device) != kSuccess) throw std::runtime_error("no MIG device");
  return device;
}

bool changes(const Contract& contract) {
  return contract.protocol == Protocol::set || contract.protocol == Protocol::action ||
         contract.protocol == Protocol::create || contract.protocol == Protocol::destroy ||
         contract.protocol == Protocol::manual;
}

// What changes the machine does so in a process of its own, so that it changes nothing for the next one.
int ask_apart(const Contract& contract, std::size_t device, bool mig) {
  const pid_t child = fork();
  if (child == 0) {
    int result = kUnknown;
    if (Library::get().call("nvmlInit_v2") == kSuccess) result = ask(contract, device, subject(mig));
    _exit(result < 0 || result > kUnknown ? kUnknown : result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kUnknown;
}

// At once, so that no child has it to say again.
void say(const Contract& contract, int result) {
  std::printf("%s\t%d\n", contract.name, result);
  std::fflush(stdout);
}

}  // namespace
}  // namespace nvmlkit::contract

int main(int argc, char** argv) {
  using namespace nvmlkit::contract;
  const bool mig = argc > 1 && std::strcmp(argv[1], "mig") == 0;
  // Children first: a process starts the library once.
  for (const auto& contract : contracts())
    if (const auto device = device_argument(contract); device && changes(contract))
      say(contract, ask_apart(contract, *device, mig));
  if (Library::get().call("nvmlInit_v2") != kSuccess) return 1;
  for (const auto& contract : contracts())
    if (const auto device = device_argument(contract); device && !changes(contract))
      say(contract, ask(contract, *device, subject(mig)));
  return 0;
}
