// The arguments of nvidia-smi.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nvmlkit::smi {

// What the words ask for, as they stand there; the version of the driver decides what the values mean.
struct Options {
  enum class Command {
    table,
    help,
    version,
    list,
    query,
    query_gpu,
    query_compute_apps,
    query_supported_clocks,
    query_remapped_rows,
    query_retired_pages,
    topo,
    mig,
    dmon,
    pmon,
    nvlink,
  };

  Command command = Command::table;
  bool xml = false;
  std::optional<std::string> sections;  // of -d
  std::vector<std::string> ids;         // of -i: index, UUID, serial number, PCI bus id
  std::vector<std::string> fields;      // of the queries with CSV
  std::optional<std::string> format;    // of --format
  std::optional<std::string> file;      // of -f
  std::optional<unsigned> loop_ms;      // of -l and -lms
  std::vector<std::string> words;       // behind topo, mig, dmon, pmon and nvlink
};

// What is wrong with the arguments: the line to print, and the exit status.
struct Refusal {
  std::string line;
  int status;
};

struct ParsedOptions {
  Options options;
  std::optional<Refusal> refusal;
};

ParsedOptions parse_options(const std::vector<std::string>& arguments);

std::vector<std::string> split(std::string_view text, char separator);

}  // namespace nvmlkit::smi
