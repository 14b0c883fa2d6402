#include "smi/smi.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "smi/commands.hpp"
#include "smi/gpu.hpp"
#include "smi/log/log.hpp"
#include "smi/options.hpp"
#include "smi/select.hpp"

namespace nvmlkit::smi {
namespace {

using Command = Options::Command;

constexpr int kBadSections = 2;

Output query(const Host& host, const Selection& selection, const Options& options) {
  if (options.xml) return {xml_log(host, selection.gpus, selection.attached)};
  auto wanted = Section::kWholeText;
  if (options.sections) {
    const auto sections = parse_sections(*options.sections, host.version);
    if (!sections) return {"Failed to parse --display/-d flags\n", kBadSections};
    wanted = *sections;
  }
  return {text_log(host, selection.gpus, selection.attached, wanted)};
}

Output answer_of(const Host& host, const Selection& selection, const Options& options) {
  if (options.command == Command::list) return list_gpus(selection);
  if (!selection.lost.empty() && options.command == Command::topo) return {"Failed to run topology matrix\n\n", 255};
  if (!selection.lost.empty()) return {text_of_lost(selection.lost.front(), "GPU"), selection.lost.front().status};
  switch (options.command) {
    case Command::query:
      return query(host, selection, options);
    case Command::query_gpu:
      return query_gpus(host, selection, options);
    case Command::query_compute_apps:
    case Command::query_supported_clocks:
    case Command::query_remapped_rows:
    case Command::query_retired_pages:
      return query_list(selection, options);
    case Command::topo:
      return topology(selection, options);
    case Command::mig:
      return mig(host, selection, options);
    default:
      return {table(host, selection.gpus)};
  }
}

int print(const Output& output, const Options& options) {
  std::FILE* file = options.file ? std::fopen(options.file->c_str(), "w") : stdout;
  if (!file) {
    fmt::print("Unable to open file {}\n", *options.file);
    return 1;
  }
  std::fwrite(output.text.data(), 1, output.text.size(), file);
  std::fflush(file);
  if (options.file) std::fclose(file);
  return output.status;
}

// Of a library that does not start: the driver is not there, or something else is wrong.
int refuse_library(const nvml::Failure& failure) {
  const auto code = static_cast<int>(failure.code());
  if (failure == nvml::Errc::driver_not_loaded)
    fmt::print("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n");
  else
    fmt::print("Failed to initialize NVML: {}\n", failure.message());
  return code > 0 && code < 255 ? code : 255;
}

}  // namespace

int run(const nvml::OpenOptions& library, const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(arguments);
  if (parsed.refusal) {
    fmt::print("{}\n", parsed.refusal->line);
    return parsed.refusal->status;
  }
  const auto& options = parsed.options;
  if (options.command == Command::help) return print({help_text()}, options);
  auto opened = nvml::Library::open(library);
  if (!opened) return refuse_library(opened.error());
  const Host host(std::move(*opened));
  if (options.command == Command::version) return print({version_text(host)}, options);
  if (options.command == Command::dmon) return monitor(host, options);
  if (options.command == Command::pmon) return monitor_processes(host, options);
  if (options.command == Command::nvlink) return print(nvlink(host, options), options);
  while (true) {
    const auto selection = select_gpus(host, options.ids);
    const int status =
        selection.refusal ? print(*selection.refusal, options) : print(answer_of(host, selection, options), options);
    if (!options.loop_ms) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(*options.loop_ms));
  }
}

}  // namespace nvmlkit::smi
