// nvmlkit kernel-log
#include <charconv>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "cli/up_check.hpp"
#include "kernel_log/follower.hpp"
#include "kernel_log/output.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

using kernel_log::Format;

struct KernelLogOptions {
  UpMachineOptions machine;
  bool follow = false, follow_new = false;
  std::string output = "-", format, since;
};

std::optional<Format> format_of(const std::string& word) {
  if (word.empty()) return {};
  return word == "kmsg" ? Format::kmsg : Format::dmesg;
}

// Uptimes from which on records are wanted: "90s", "5m" or "2h" ago.
std::uint64_t begin_of(const std::string& ago) {
  if (ago.empty()) return 0;
  std::uint64_t count = 0;
  const auto* const end = ago.data() + ago.size();
  const auto [unit, error] = std::from_chars(ago.data(), end, count);
  const std::uint64_t seconds = end - unit != 1 ? 0 : *unit == 's' ? 1 : *unit == 'm' ? 60 : *unit == 'h' ? 3600 : 0;
  if (error != std::errc() || seconds == 0)
    throw CommandError(of_argument("--since", sim::wrong_value("a time such as 90s, 5m or 2h", sim::quote(ago))));
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const auto uptime = static_cast<std::uint64_t>(now.tv_sec);
  return count > uptime / seconds ? 0 : (uptime - count * seconds) * 1'000'000;
}

int print_kernel_log(const KernelLogOptions& options) {
  const auto begin = begin_of(options.since);
  const auto path = options.machine.existing_path();
  const UpCheck check(path);
  const auto machine = attach(path);
  auto output = value_of(kernel_log::Output::open(options.output, format_of(options.format)));
  kernel_log::Follower follower(*machine, options.follow_new ? kernel_log::end_of(*machine) : kernel_log::kOldest);
  while (true) {
    for (const auto& record : follower.take())
      if (record.uptime_us >= begin) accept(output.write(record));
    if (!(options.follow || options.follow_new) || !check.is_up()) return 0;
    (void)follower.wait();
  }
}

}  // namespace

Command kernel_log_command() {
  return {
      .name = "kernel-log",
      .summary = "Print the kernel log of a machine, as dmesg does",
      .group = Group::up,
      .details =
          "The messages of NVIDIA's kernel modules: Xids, SXids of NVSwitches, lost GPUs, the load of the module, "
          "clients of another version.\n\n"
          "`--follow` ends when the machine is down.",
      .examples = {{"nvmlkit kernel-log", "the log so far"},
                   {"nvmlkit kernel-log --follow --output /dev/kmsg", "into the log of this host, as root"},
                   {"mkfifo kmsg; nvmlkit kernel-log --follow --output kmsg &",
                    "a pipe for programs that read /dev/kmsg, such as gpud with KMSG_FILE_PATH=kmsg"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto options = std::make_shared<KernelLogOptions>();
        arguments.flag("-w,--follow", options->follow, "Wait for new messages and print them, too");
        arguments.flag("-W,--follow-new", options->follow_new, "Wait for new messages and print only them");
        arguments
            .option("-o,--output", Kind::file, options->output,
                    "Where messages go: - is stdout, journal is the journal of systemd, journal-kernel the same by "
                    "/dev/kmsg, for readers of the kernel's messages; a pipe gets each record in one packet; a file is "
                    "appended to")
            .default_text("-");
        arguments
            .option("--format", Kind::text, options->format,
                    "dmesg: [SECONDS] MESSAGE; kmsg: PRIORITY,SEQUENCE,MICROSECONDS,-;MESSAGE")
            .only({"dmesg", "kmsg"})
            .default_text("dmesg to stdout, kmsg elsewhere");
        arguments.option("--since", Kind::text, options->since, "Only messages of the last TIME, such as 90s, 5m or 2h")
            .label("TIME");
        options->machine.declare(arguments);
        return [options] { return print_kernel_log(*options); };
      }};
}

}  // namespace nvmlkit::cli
