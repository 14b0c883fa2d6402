// Where records go: a stream, a file or pipe, the kernel's own log, or the journal.
#pragma once

#include <optional>
#include <string>

#include "kernel_log/record.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::kernel_log {

inline constexpr const char* kKernelLog = "/dev/kmsg";
inline constexpr const char* kJournal = "journal";
inline constexpr const char* kJournalByKernel = "journal-kernel";

class Output {
 public:
  // `target`: "-" is stdout, "journal" the journal of systemd, "journal-kernel" the same through the kernel's log, else
  // a path. A pipe gets a packet for each record, so that each read returns one, as with /dev/kmsg. A regular file is
  // appended to.
  // `format` is for streams, files and pipes; without it stdout gets dmesg lines and the others kmsg records.
  static sim::Expected<Output> open(const std::string& target, std::optional<Format> format = {});

  Output(Output&& other) noexcept;
  Output& operator=(Output&& other) noexcept;
  ~Output();

  // A problem: the target takes no more. A record that a full pipe has no room for is dropped.
  sim::Expected<void> write(const Record& record);

 private:
  Output(int descriptor, std::string target, Format format, bool journal)
      : descriptor_(descriptor), target_(std::move(target)), format_(format), journal_(journal) {}

  int descriptor_;
  std::string target_;
  Format format_;
  bool journal_;
};

}  // namespace nvmlkit::kernel_log
