#include "driver/cuda/sanitize/host_pages.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/sanitize/host_instruction.hpp"
#include "driver/cuda/sanitize/host_places.hpp"

namespace nvmlkit::cuda::sanitizer::host_pages {
namespace {

// Accesses that are noted between two points where the pages are closed. Each costs two signals.
constexpr unsigned kMostSteps = 10'000;
constexpr std::size_t kMostPages = 4;  // that one instruction may use

struct View {
  std::uint64_t size = 0;
  bool is_open = true;  // all of it or some pages
};

struct Views {
  std::mutex mutex;
  std::map<std::uint64_t, View> by_start;
  bool is_closed = false;
  std::atomic<bool> is_used{false};
  unsigned steps = 0;
  struct sigaction fault_before {
  }, trap_before{};
};
Views& views() {
  static NeverDestroyed<Views> the;
  return *the;
}

// Pages that the thread may use for one instruction.
struct Step {
  std::uint64_t pages[kMostPages] = {};
  std::size_t count = 0;
};
thread_local Step now_stepped;

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void allow(std::uint64_t start, std::uint64_t size, int what) { mprotect(reinterpret_cast<void*>(start), size, what); }

std::map<std::uint64_t, View>::iterator view_of(Views& v, std::uint64_t address) {
  auto at = v.by_start.upper_bound(address);
  if (at == v.by_start.begin()) return v.by_start.end();
  --at;
  return address - at->first < at->second.size ? at : v.by_start.end();
}

// A handler that the program had, or the end that it asked for.
void hand_on(const struct sigaction& before, int signal, siginfo_t* info, void* context) {
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    sigaction(signal, &before, nullptr);  // the instruction comes again
    if (signal == SIGTRAP) raise(signal);
  }
}

// Lets the instruction use its pages. True: for this time only.
bool let_go(Views& v, std::map<std::uint64_t, View>::iterator view, std::uint64_t address, std::uint64_t size,
            const HostInstruction& instruction, void* context) {
  const auto start = address / page_size() * page_size();
  const auto end = (address + size + page_size() - 1) / page_size() * page_size();
  auto& step = now_stepped;
  const auto pages = (end - start) / page_size();
  const bool is_alone =
      !instruction.is_repeated && step.count + pages <= kMostPages && v.steps < kMostSteps && step_one(context);
  if (!is_alone) {
    view->second.is_open = true;
    if (v.steps < kMostSteps)
      allow(start, end - start, PROT_READ | PROT_WRITE);
    else
      allow(view->first, view->second.size, PROT_READ | PROT_WRITE);
    return false;
  }
  ++v.steps;
  allow(start, end - start, instruction.writes ? PROT_READ | PROT_WRITE : PROT_READ);
  for (auto page = start; page < end; page += page_size()) step.pages[step.count++] = page;
  return true;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  auto& v = views();
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  std::unique_lock lock(v.mutex);
  const auto view = info->si_code == SEGV_ACCERR ? view_of(v, address) : v.by_start.end();
  if (view == v.by_start.end()) {
    const auto before = v.fault_before;
    lock.unlock();
    return hand_on(before, signal, info, context);
  }
  if (v.is_closed) {
    const auto instruction = HostInstruction::of(context);
    const auto size = std::min(std::max<std::uint64_t>(instruction.size, 1), view->first + view->second.size - address);
    let_go(v, view, address, size, instruction, context);
    lock.unlock();
    note_host_access(instruction.code, instruction.writes, address, size);
  }
  errno = error;
}

void on_step(int signal, siginfo_t* info, void* context) {
  auto& step = now_stepped;
  auto& v = views();
  if (step.count == 0) return hand_on(v.trap_before, signal, info, context);
  const int error = errno;
  go_on(context);
  const std::lock_guard lock(v.mutex);
  for (; step.count > 0; --step.count)
    if (const auto page = step.pages[step.count - 1]; v.is_closed && view_of(v, page) != v.by_start.end())
      allow(page, page_size(), PROT_NONE);
  errno = error;
}

// The program may have set a handler since: it gets what is not ours.
void take(int signal, void (*handler)(int, siginfo_t*, void*), struct sigaction& before) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler) return;
  struct sigaction own {};
  own.sa_sigaction = handler;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&own.sa_mask);
  sigdelset(&own.sa_mask, SIGSEGV);
  sigaction(signal, &own, &before);
}

}  // namespace

bool part(Allocation& a, std::uint64_t size) {
  const int file = memfd_create("nvmlkit managed memory", MFD_CLOEXEC);
  if (file < 0) return false;
  void* own = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size)) == 0)
    own = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  const bool is_there = own != MAP_FAILED && mmap(a.bytes, size, PROT_READ | PROT_WRITE,
                                                  MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) != MAP_FAILED;
  ::close(file);
  if (!is_there) return false;
  a.bytes = static_cast<std::byte*>(own);
  auto& v = views();
  const std::lock_guard lock(v.mutex);
  v.by_start[a.address] = {size};
  v.is_used = true;
  return true;
}

void remove(const Allocation& a, std::uint64_t size) {
  auto& v = views();
  const std::lock_guard lock(v.mutex);
  if (v.by_start.erase(a.address) > 0) munmap(reinterpret_cast<void*>(a.address), size);
}

void lock_out() {
  auto& v = views();
  if (!v.is_used) return;
  const std::lock_guard lock(v.mutex);
  take(SIGSEGV, on_fault, v.fault_before);
  take(SIGTRAP, on_step, v.trap_before);
  v.is_closed = true;
  v.steps = 0;
  for (auto& [start, view] : v.by_start) {
    if (view.is_open) allow(start, view.size, PROT_NONE);
    view.is_open = false;
  }
}

void let_in() {
  auto& v = views();
  if (!v.is_used) return;
  const std::lock_guard lock(v.mutex);
  if (!v.is_closed) return;
  v.is_closed = false;
  for (auto& [start, view] : v.by_start) {
    if (!view.is_open) allow(start, view.size, PROT_READ | PROT_WRITE);
    view.is_open = true;
  }
}

}  // namespace nvmlkit::cuda::sanitizer::host_pages
