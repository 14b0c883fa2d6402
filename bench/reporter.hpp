// Prints the benchmarks and, after them, the ratio of each to its reference from the same run.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace nvmlkit::bench {

constexpr const char* kEmpty = "call/empty_function";

class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(OO_Tabular) {}

  // Keeps the fastest repetition: what else the computer does can only slow a call down.
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> repetitions;
    for (const Run& run : runs) {
      if (run.aggregate_name.empty()) repetitions.push_back(run);
    }
    ConsoleReporter::ReportRuns(repetitions);
    for (const Run& run : repetitions) {
      if (run.error_occurred) continue;
      const std::string name = run.run_name.function_name;
      const auto [entry, added] = times_.try_emplace(name, run.GetAdjustedCPUTime());
      if (!added) entry->second = std::min(entry->second, run.GetAdjustedCPUTime());
    }
  }

  void print_ratios() const {
    compare("A call through the driver library, against an empty C function through a pointer", "call/driver/",
            [](const std::string&) { return std::string(kEmpty); });
    compare("A call about a busy GPU, against the same about an idle one", "call/busy/",
            [](const std::string& what) { return "call/driver/" + what; });
    compare("A call through the bindings, against the same C function through a pointer", "call/bindings/",
            [](const std::string& what) { return "call/driver/" + what; });
  }

 private:
  template <class Reference>
  void compare(const char* title, const std::string& prefix, Reference reference) const {
    bool first = true;
    for (const auto& [name, time] : times_) {
      if (name.rfind(prefix, 0) != 0) continue;
      const auto base = times_.find(reference(name.substr(prefix.size())));
      if (base == times_.end()) continue;
      if (first) std::printf("\n%s:\n", title);
      first = false;
      std::printf("  %-40s %8.2f ns, against %6.2f ns: %6.2fx\n", name.c_str(), time, base->second,
                  time / base->second);
    }
  }

  std::map<std::string, double> times_;
};

}  // namespace nvmlkit::bench
