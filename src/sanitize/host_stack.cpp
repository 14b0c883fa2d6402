#include "sanitize/host_stack.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>

namespace nvmlkit::sanitize {
namespace {

constexpr int kDeepest = 48;

const void* own_base() {
  static const void* const base = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&own_base), &info) ? info.dli_fbase : nullptr;
  }();
  return base;
}

// Of the call, and not of the instruction behind it.
const void* call_before(const void* address) { return static_cast<const char*>(address) - 1; }

}  // namespace

HostStack HostStack::here() {
  void* all[kDeepest];
  const int count = backtrace(all, kDeepest);
  HostStack out;
  out.addresses_.assign(all, all + count);
  return out;
}

HostStack HostStack::from(const void* instruction) {
  auto out = here();
  const auto at = std::ranges::find(out.addresses_, instruction);
  out.addresses_.erase(out.addresses_.begin(), at == out.addresses_.end() ? at : at + 1);
  // As if it were a call, which addresses stand behind.
  out.addresses_.insert(out.addresses_.begin(), const_cast<char*>(static_cast<const char*>(instruction)) + 1);
  return out;
}

std::vector<HostFrame> HostStack::frames() const {
  std::vector<HostFrame> out;
  for (const void* const address : addresses_) {
    Dl_info info{};
    if (!dladdr(call_before(address), &info) || info.dli_fbase == own_base()) continue;
    HostFrame frame;
    frame.module = info.dli_fname ? info.dli_fname : "";
    frame.offset =
        static_cast<std::uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase));
    if (info.dli_sname) frame.function = info.dli_sname;
    out.push_back(std::move(frame));
  }
  return out;
}

std::string HostStack::entry(std::string& caller) const {
  std::string out;
  for (const void* const address : addresses_) {
    Dl_info info{};
    if (!dladdr(call_before(address), &info)) continue;
    if (info.dli_fbase == own_base()) {
      out = info.dli_sname ? info.dli_sname : "";
      if (out.starts_with("__")) out.erase(0, 2);  // __cudaLaunchKernel of the headers of CUDA 13
    } else if (!out.empty()) {
      caller = info.dli_fname ? info.dli_fname : "";
      break;
    }
  }
  return out;
}

}  // namespace nvmlkit::sanitize
