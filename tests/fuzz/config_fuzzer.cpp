// Any text is either refused in one line or read to a machine that the writer's text brings back.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/config/writer.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"

namespace {

using namespace nvmlkit::sim;

void require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Few GPUs keep the rounds short; entries beyond them are read all the same.
  Overrides overrides;
  overrides.gpu_count = 3;
  std::string error;
  const auto machine = taken(read_machine("input", {reinterpret_cast<const char*>(data), size}, overrides), error);
  if (!machine) {
    require(!error.empty() && error.find('\n') == std::string::npos, "not one line:", error);
    return 0;
  }
  const std::string written = write_machine(*machine);
  const auto again = taken(read_machine("written", written), error);
  require(again != nullptr, "the reader refuses what the writer wrote:", error + "\n" + written);
  require(again->gpus().size() == 3 && model::equal(machine->host(), again->host()), "another host:", written);
  for (std::size_t i = 0; i < 3; ++i)
    require(model::equal(machine->gpus()[i], again->gpus()[i]), "another GPU:", written);
  return 0;
}
