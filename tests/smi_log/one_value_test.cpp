// Values of logs that the model stores in another form: one draw of power for two, names that are too long.
#include <algorithm>

#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

// An older nvidia-smi prints one draw. It is shown as the draws that the profile has: the A10's instant one, the H100's
// two.
TEST(Import, OneDrawIsTheDrawsOfTheProfile) {
  const auto power_of = [](const std::string& product, const std::string& readings) {
    const auto machine =
        machine_of(text_log("    Product Name                          : " + product + "\n" + readings));
    return machine ? machine->gpus()[0].power : decltype(machine->gpus()[0].power){};
  };
  const std::string one = "    GPU Power Readings\n        Power Draw                        : 15.65 W";
  const auto a10 = power_of("NVIDIA A10", one);
  EXPECT_EQ(*a10.current_draw_mw, 15650u);
  EXPECT_EQ(*a10.instant_draw_mw, 15650u);
  EXPECT_FALSE(a10.average_draw_mw);
  const auto h100 = power_of("NVIDIA H100 80GB HBM3", one);
  EXPECT_EQ(*h100.instant_draw_mw, 15650u);
  EXPECT_EQ(*h100.average_draw_mw, 15650u);
  const auto both = power_of("NVIDIA H100 80GB HBM3",
                             "    GPU Power Readings\n        Average Power Draw                : 70.10 W\n"
                             "        Instantaneous Power Draw          : 71.20 W");
  EXPECT_EQ(*both.average_draw_mw, 70100u);
  EXPECT_EQ(*both.instant_draw_mw, 71200u);
}

TEST(Import, LongNamesOfProcessesAreShortened) {
  const std::string name = "[celeryd: worker@" + std::string(107, 'x') + "\xC3\xA4\xC3\xA4" + std::string(112, 'y');
  ASSERT_EQ(name.size(), 240u);
  const auto imported =
      import_text(text_log("    Processes\n        Process ID                        : 4711\n"
                           "            Type                          : C\n            Name  "
                           "                        : " +
                           name + "\n            Used GPU Memory               : 1234 MiB\n"));
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus()[0].processes.size(), 1u);
  const auto& process = machine->gpus()[0].processes.items[0];
  EXPECT_EQ(process.name->view(), name.substr(0, 126));  // byte 127 would be half of a character
  EXPECT_EQ(*process.used_memory_mib, 1234u);
  const std::string note = "shortened: the name of a process has 240 bytes, the machine keeps the first 126";
  EXPECT_TRUE(std::any_of(imported.notes.begin(), imported.notes.end(),
                          [&](const std::string& text) { return text.find(note) != std::string::npos; }));
}

}  // namespace
}  // namespace nvmlkit::smi_log
