// What an import and a capture leave out follows from the kind, the owner and the field of a problem, never from its
// text: this program has texts of its own in place of sim/problem/text.cpp, and comes to the same machines with each.
#include <gtest/gtest.h>

#include <algorithm>
#include <nvmlkit/sim/table.hpp>

#include "../taken.hpp"
#include "capture/machine.hpp"
#include "capture/walk.hpp"
#include "sim/config/load.hpp"
#include "sim/generated/model.hpp"
#include "smi_log/import.hpp"
#include "support.hpp"

namespace nvmlkit {
namespace {

// Nothing; the field of another GPU; the field of the machine that the problem is not about.
constexpr const char* kTexts[] = {"", "GPU 0: memory.total_bytes: expected less", "system.driver_version: name: uuid"};
const char* text = kTexts[0];

}  // namespace

std::string sim::message_of(const Problem&) { return text; }
std::string sim::text_of(const Problem&) { return text; }

namespace {

class Decisions : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { text = GetParam(); }
  void TearDown() override { text = kTexts[0]; }
};
INSTANTIATE_TEST_SUITE_P(Texts, Decisions, testing::ValuesIn(kTexts));

std::string memory_of(const char* used) {
  return std::string("    FB Memory Usage\n        Total                             : 1024 MiB\n") +
         "        Used                              : " + used + "\n";
}

std::string gpu_lines(const char* bus_id, const std::string& lines) {
  return "GPU " + std::string(bus_id) + "\n" + lines;
}

TEST_P(Decisions, ImportLeavesOutTheValueThatContradictsOthers) {
  const auto log = smi_log::text_log(memory_of("512 MiB"), "00000000:3B:00.0") +
                   gpu_lines("00000000:5E:00.0", memory_of("2048 MiB"));
  const auto imported = smi_log::import_text(log);
  const auto machine = sim::read_machine("imported", imported.yaml);
  ASSERT_TRUE(machine) << imported.yaml;
  const auto gpus = (*machine)->gpus();
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].memory.used_bytes.value_or(0), 512ull << 20) << "a GPU that nothing is wrong with";
  EXPECT_NE(gpus[1].memory.used_bytes.value_or(0), 2048ull << 20);
  EXPECT_EQ(gpus[0].memory.total_bytes.value_or(0), 1024ull << 20);
  EXPECT_EQ(gpus[1].memory.total_bytes.value_or(0), 1024ull << 20);
  EXPECT_EQ((*machine)->system().driver_version->view(), "550.90.07");
  const auto left_out = [](const std::string& note) { return note.find("left out: ") != std::string::npos; };
  EXPECT_EQ(std::count_if(imported.notes.begin(), imported.notes.end(), left_out), 1);
}

capture::Answers answers_of_a_t4() {
  auto driver = sim::SimulatedDriver::create("t4", {.gpu_count = 2, .time = "virtual"});
  EXPECT_TRUE(driver);
  const auto library = nvml::Library::from_table(driver->table());
  EXPECT_TRUE(library);
  return capture::ask_everything(*library);
}

TEST_P(Decisions, CaptureLeavesOutTheAnswerThatContradictsOthers) {
  auto answers = answers_of_a_t4();
  const auto whole = capture::machine_file(answers);
  ASSERT_TRUE(whole);
  const auto host = std::find_if(answers.objects.begin(), answers.objects.end(),
                                 [](const auto& object) { return object.subject == capture::Subject::machine; });
  ASSERT_NE(host, answers.objects.end());
  // No T4 computes confidentially: a driver that says so contradicts its GPUs.
  host->answers["nvmlSystemGetConfComputeState"] = {
      {"state", {{"environment", 0}, {"ccFeature", 1}, {"devToolsMode", 0}}}};
  const auto captured = capture::machine_file(answers);
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->notes.size(), whole->notes.size() + 1);
  const auto machine = sim::read_machine("captured", captured->yaml);
  ASSERT_TRUE(machine) << captured->yaml;
  const auto& feature = (*machine)->system().conf_compute.feature;
  EXPECT_FALSE(feature && *feature == sim::model::EnableState::enabled) << captured->yaml;
  EXPECT_EQ((*machine)->gpus().size(), 2u);
  EXPECT_TRUE((*machine)->system().driver_version);
}

}  // namespace
}  // namespace nvmlkit
