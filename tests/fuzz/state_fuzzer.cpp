// Any file is either refused in one line or a machine that can be read and changed. The input is laid over a good state
// file, so that most of what it says is looked at: 4 bytes of place, 1 of length, and as many bytes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/config/writer.hpp"
#include "sim/processes/accounting.hpp"
#include "sim/processes/memory.hpp"
#include "sim/state/file.hpp"
#include "sim/state/lock.hpp"
#include "sim/state/read.hpp"
#include "sim/transaction/edit.hpp"

namespace {

using namespace nvmlkit::sim;

[[noreturn]] void stop(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s %s\n", what, text.c_str());
  std::abort();
}

std::vector<char> good_file() {
  std::string error;
  const std::string path = "/tmp/state_fuzzer-" + std::to_string(getpid());
  const auto machine = taken(load_machine({{"NVMLKIT_MACHINE", "t4"}, {"NVMLKIT_GPU_COUNT", "2"}}), error);
  if (!machine || !taken(state::save(*machine, path, "t4"), error)) stop("no good file:", error);
  std::vector<char> bytes(state::total_size(2));
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (pread(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) stop("unreadable", path);
  close(file);
  unlink(path.c_str());
  return bytes;
}

void overlay(std::vector<char>& bytes, const std::uint8_t* data, std::size_t size) {
  while (size > 5) {
    std::uint32_t at = 0;
    std::memcpy(&at, data, sizeof at);
    const std::size_t length = std::min<std::size_t>({data[4], size - 5, bytes.size()});
    at %= static_cast<std::uint32_t>(bytes.size() - length + 1);
    std::memcpy(bytes.data() + at, data + 5, length);
    data += 5 + length;
    size -= 5 + length;
  }
}

void use(const Machine& machine) {
  for (const auto& gpu : machine.gpus()) {
    bool any = false;
    state::consistently(machine, machine.sequence(gpu), [&] { any = gpu.name && !gpu.processes.span().empty(); });
    const auto index = machine.index_of(gpu);
    processes::memory_of(machine, gpu, index);
    processes::for_each_record(machine, gpu, index, [&](const processes::Record& record) { any |= record.running; });
    processes::Request request;
    request.pid = static_cast<std::uint32_t>(getpid());
    processes::attach(machine, index, request);
    processes::detach(machine, index, request.pid);
  }
  if (const state::Lock lock(machine); lock && !machine.gpus().empty()) {
    transaction::Edit edit(lock, 0);
    edit->power.limit_mw = 5;
    edit.commit();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<char> good = good_file();
  auto bytes = good;
  overlay(bytes, data, size);
  // The lock's own words stay: a lock that seems taken costs seconds, and shows nothing.
  constexpr std::size_t kLock = offsetof(nvmlkit::storage::Header, lock);
  std::memcpy(bytes.data() + kLock, good.data() + kLock, sizeof(pthread_mutex_t));
  const int file = memfd_create("state", MFD_CLOEXEC);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const std::size_t length = size % 7 == 6 ? bytes.size() * data[0] / 256 : bytes.size();
  if (write(file, bytes.data(), length) != static_cast<ssize_t>(length)) stop("cannot write", path);
  std::string error;
  if (const auto machine = taken(state::attach(path), error)) {
    // A sequence that seems odd is a writer in the middle, which costs time too.
    if (machine->header().any % 2 == 0) use(*machine);
  } else if (error.empty() || error.find('\n') != std::string::npos) {
    stop("not one line:", error);
  }
  close(file);
  return 0;
}
