#include "cli/use.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "cli/command_error.hpp"
#include "cli/selector.hpp"
#include "sim/problem/names.hpp"
#include "sim/processes/kinds.hpp"
#include "sim/text/amounts.hpp"

namespace nvmlkit::cli {
namespace {

using sim::quote;
namespace processes = sim::processes;

// gpu=0,1: a list of what selects GPUs elsewhere, in which every GPU counts once.
std::vector<std::size_t> gpus_of(const sim::Machine& machine, const std::string& list) {
  constexpr std::string_view kPrefix = "gpu=";
  if (!list.starts_with(kPrefix)) return select(machine, list);
  std::set<std::size_t> out;
  for (std::size_t at = kPrefix.size(); at <= list.size();) {
    const auto comma = std::min(list.find(',', at), list.size());
    const auto some = select(machine, std::string(kPrefix) + list.substr(at, comma - at));
    out.insert(some.begin(), some.end());
    at = comma + 1;
  }
  return {out.begin(), out.end()};
}

}  // namespace

void UseOptions::declare(Arguments& arguments) {
  arguments.section("GPUs that the program uses");
  auto uses = arguments.option("--uses", Kind::gpu_list, gpus, "Which, while it runs: gpu=0,1, gpu=UUID, gpu=all");
  arguments.option("--memory", Kind::text, memory, "Memory of each that it holds: bytes, or as 512MiB or 2GiB")
      .label("SIZE")
      .needs(uses);
  arguments.option("--type", Kind::text, type, "What it is to them: C compute, G graphics, C+G, M+C an MPS client")
      .for_example({"C", "G", "C+G", "M", "M+C"})
      .default_text("C")
      .label("TYPE")
      .needs(uses);
  arguments.option("--share", share, "Its weight in their utilization beside other programs")
      .default_text("1")
      .needs(uses);
}

GpuUser GpuUser::of(const std::string& state, const UseOptions& options, const std::string& program) {
  GpuUser out;
  if (options.gpus.empty()) return out;
  const auto bytes = sim::text::bytes_of(options.memory);
  if (!bytes)
    throw CommandError(
        of_argument("--memory", sim::wrong_value("bytes, or a number with KiB, MiB or GiB", quote(options.memory))));
  const auto kinds = processes::kinds_of(options.type);
  if (!kinds) throw CommandError(of_argument("--type", sim::wrong_value(processes::kKindWords, quote(options.type))));
  try {
    out.machine_ = attach(state);
    out.gpus_ = gpus_of(*out.machine_, options.gpus);
  } catch (const CommandError& error) {
    throw CommandError(of_argument("--uses", error.problem));
  }
  out.request_.kinds = *kinds;
  out.request_.memory_bytes = *bytes;
  out.request_.share = options.share;
  out.program_ = program;
  return out;
}

Around GpuUser::around() const {
  Around out;
  out.before = [user = *this]() mutable {
    user.request_.pid = static_cast<std::uint32_t>(getpid());
    user.request_.name = user.program_;
    for (const auto gpu : user.gpus_) {
      const auto outcome = processes::attach(*user.machine_, gpu, user.request_);
      if (outcome == processes::Outcome::done) continue;
      for (const auto done : user.gpus_) processes::detach(*user.machine_, done, user.request_.pid);
      fmt::print(stderr, "nvmlkit: GPU {}: {}\n", gpu, processes::text_of(outcome));
      return kBadInput;
    }
    return 0;
  };
  out.after = [user = *this](pid_t pid) {
    for (const auto gpu : user.gpus_) processes::detach(*user.machine_, gpu, static_cast<std::uint32_t>(pid));
  };
  return out;
}

}  // namespace nvmlkit::cli
