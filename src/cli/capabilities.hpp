// What an NVML library can do: every symbol on every GPU.
#pragma once

#include <nvmlkit/table.hpp>
#include <string>
#include <vector>

namespace nvmlkit::cli {

inline constexpr const char* kNotProbed = "not probed";

struct Capabilities {
  struct Gpu {
    std::string name, uuid;
  };
  // "works", "no symbol", "not supported", "no permission", "error <name>", or "not probed".
  struct Row {
    const char* symbol;
    const char* scope;                 // "gpu", "host", or "-" for a function of another object
    std::vector<std::string> answers;  // one per GPU where it was asked on each, else one
  };
  std::string library, driver_version, nvml_version;
  std::string problem;  // why nothing could be asked: the library is there, its kernel driver is not
  std::vector<Gpu> gpus;
  std::vector<Row> rows;  // in the order of nvml::symbols()
};

// Calls every exported function that only reads, with arguments that any driver takes: 0 where a number is asked for,
// buffers that are large enough. What sets, creates, destroys or waits is not called, nor what needs a key or an object
// other than a GPU. The library must be initialized.
Capabilities probe(const nvml::Table& table);

// The same of a library that does not answer: what it has no symbol for.
Capabilities symbols_of(const nvml::Table& table);

}  // namespace nvmlkit::cli
