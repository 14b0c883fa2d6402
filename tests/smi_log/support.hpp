// Logs of our own making, and the machine that is made of them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "smi_log/import.hpp"

namespace nvmlkit::smi_log {

// One GPU as `nvidia-smi -q` prints it, with further lines.
inline std::string text_log(const std::string& lines, const std::string& bus_id = "00000000:3B:00.0") {
  return "==============NVSMI LOG==============\n\nDriver Version                            : 550.90.07\n"
         "CUDA Version                              : 12.4\n\nAttached GPUs                             : 1\nGPU " +
         bus_id + "\n" + lines + "\n";
}

// The same as XML.
inline std::string xml_log(const std::string& elements, const std::string& bus_id = "00000000:3B:00.0") {
  return "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n"
         "<cuda_version>12.4</cuda_version>\n<gpu id=\"" +
         bus_id + "\">\n" + elements + "\n</gpu>\n</nvidia_smi_log>\n";
}

inline Imported import_text(const std::string& text) {
  const std::vector<Input> inputs = {{"log.txt", text}};
  auto imported = import_outputs(inputs);
  EXPECT_TRUE(imported) << sim::text_of(imported.error());
  return imported ? std::move(*imported) : Imported();
}

inline std::unique_ptr<sim::Machine> machine_of(const Imported& imported) {
  std::string error;
  auto machine = sim::taken(sim::read_machine("imported", imported.yaml), error);
  EXPECT_TRUE(machine) << error << "\n" << imported.yaml;
  return machine;
}

inline std::unique_ptr<sim::Machine> machine_of(const std::string& text) { return machine_of(import_text(text)); }

}  // namespace nvmlkit::smi_log
