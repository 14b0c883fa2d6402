// Any text is either refused in one line or becomes a machine file that the reader takes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../taken.hpp"
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
  const auto outcome = smi_log::import_outputs(inputs);
  if (!outcome) {
    const std::string what = sim::text_of(outcome.error());
    require(what.starts_with("input") && what.find('\n') == std::string::npos, "not one line with its place:", what);
    return 0;
  }
  const auto& imported = *outcome;
  std::string error;
  require(sim::taken(sim::read_machine("imported", imported.yaml), error) != nullptr,
          "the reader refuses what was imported:", error + "\n" + imported.yaml);
  return 0;
}
