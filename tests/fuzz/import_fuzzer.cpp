// Any text is either refused in one line or becomes a machine file that the reader takes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/config/load.hpp"
#include "smi_log/import.hpp"

namespace {

using namespace nvmlkit;

void require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<smi_log::Input> inputs = {{"input", {reinterpret_cast<const char*>(data), size}}};
  smi_log::Imported imported;
  try {
    imported = smi_log::import_outputs(inputs);
  } catch (const smi_log::Refused& refused) {
    const std::string what = refused.what();
    require(what.starts_with("input") && what.find('\n') == std::string::npos, "not one line with its place:", what);
    return 0;
  }
  sim::ConfigError error;
  require(sim::read_machine("imported", imported.yaml, error) != nullptr,
          "the reader refuses what was imported:", error.text() + "\n" + imported.yaml);
  return 0;
}
