// The scenarios of a folder: files that come, change and go, and programs that are killed in between.
#include "scenario/shelf.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "scenario_support.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/fault.hpp"

namespace nvmlkit::scenario {
namespace {

constexpr const char* kThree = R"(
steps:
  - {at: 0s, do: fault gpu=0 xid 13}
  - {at: 10s, do: fault gpu=1 lost}
  - {at: 20s, do: fault gpu=0 xid 31}
)";

class ShelfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("shelf-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    start();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A program that begins where the one before was killed.
  void start() {
    shelf_ =
        std::make_unique<Shelf>(*machine_, ShelfOptions{{},
                                                        folder_ / "memory",
                                                        [this](const std::string& line) { told_.push_back(line); },
                                                        [this](const std::string& line) { wrong_.push_back(line); }});
  }
  void pass(std::int64_t seconds) {
    EXPECT_EQ(problem_of(sim::steering::advance_time(*machine_, seconds * kSecond)), "");
    shelf_->advance();
  }
  void put(const std::string& file, const std::string& text) {
    files_.insert_or_assign(file, text);
    shelf_->update(files_);
    shelf_->advance();
  }
  void take_away(const std::string& file) {
    files_.erase(file);
    shelf_->update(files_);
    shelf_->advance();
  }
  std::size_t times(const std::string& line) const {
    return static_cast<std::size_t>(std::count(told_.begin(), told_.end(), line));
  }
  std::vector<std::string> faults(std::size_t gpu) const { return sim::steering::describe(machine_->gpus()[gpu]); }

  std::unique_ptr<sim::Machine> machine_ = make_machine("h100", 2);
  std::filesystem::path folder_;
  std::unique_ptr<Shelf> shelf_;
  Shelf::Files files_;
  std::vector<std::string> told_, wrong_;
};

TEST_F(ShelfTest, AFileBeginsAndItsStepsAreDone) {
  put("a.yaml", kThree);
  EXPECT_EQ(times("a.yaml: step 1 done: fault gpu=0 xid 13"), 1U);
  EXPECT_TRUE(faults(1).empty());
  pass(10);
  EXPECT_FALSE(faults(1).empty());
  const auto status = shelf_->status().at(0);
  EXPECT_EQ(status.state, "running");
  EXPECT_EQ(status.counts[static_cast<std::size_t>(Outcome::done)], 2U);
  EXPECT_EQ(status.pending, 1U);
  pass(10);
  EXPECT_EQ(shelf_->status().at(0).state, "over");
  EXPECT_FALSE(shelf_->next()) << "nothing to wake up for";
}

TEST_F(ShelfTest, AnotherProgramContinues) {
  put("a.yaml", kThree);
  pass(10);
  for (int i = 0; i < 3; ++i) {
    start();
    shelf_->update(files_);
    shelf_->advance();
  }
  pass(10);
  start();
  shelf_->update(files_);
  pass(100);
  for (const auto* line : {"a.yaml: step 1 done: fault gpu=0 xid 13", "a.yaml: step 2 done: fault gpu=1 lost",
                           "a.yaml: step 3 done: fault gpu=0 xid 31"})
    EXPECT_EQ(times(line), 1U) << line;
  EXPECT_TRUE(wrong_.empty());
}

TEST_F(ShelfTest, AnEndTakesBackWhatWasDone) {
  put("a.yaml", kThree);
  put("b.yaml", "undo: false\nsteps: [{do: fault gpu=1 thermal}]");
  pass(10);
  EXPECT_EQ(faults(1).size(), 2U);
  take_away("a.yaml");
  EXPECT_TRUE(faults(0).empty());
  EXPECT_EQ(faults(1).size(), 1U);
  take_away("b.yaml");
  EXPECT_EQ(faults(1).size(), 1U);
  EXPECT_TRUE(shelf_->status().empty());
}

TEST_F(ShelfTest, AnEndIsKnownToTheNextProgram) {
  put("a.yaml", kThree);
  pass(10);
  start();
  files_.clear();
  shelf_->update(files_);
  EXPECT_TRUE(faults(0).empty());
  EXPECT_TRUE(faults(1).empty());
}

TEST_F(ShelfTest, AChangedFileBeginsAnew) {
  put("a.yaml", kThree);
  pass(10);
  put("a.yaml", "steps: [{at: 5s, do: fault gpu=0 xid 43}]");
  EXPECT_TRUE(faults(1).empty());
  pass(5);
  EXPECT_EQ(times("a.yaml: step 1 done: fault gpu=0 xid 43"), 1U);
  put("a.yaml", "steps: [{at: 5s, do: fault gpu=0 xid 43}]");
  pass(5);
  EXPECT_EQ(times("a.yaml: step 1 done: fault gpu=0 xid 43"), 1U) << "the same content";
}

TEST_F(ShelfTest, AWrongFileIsOneLineAndTheOthersGoOn) {
  put("a.yaml", kThree);
  put("b.yaml", "steps: [{do: faul xid 1}]");
  shelf_->update(files_);
  ASSERT_EQ(wrong_.size(), 1U);
  EXPECT_EQ(wrong_[0], "b.yaml:1:14: unknown command 'faul'; did you mean 'fault'?");
  EXPECT_EQ(shelf_->status().at(1).state, "refused");
  put("a.yaml", "steps: nothing");
  ASSERT_EQ(wrong_.size(), 2U);
  pass(10);
  EXPECT_FALSE(faults(1).empty()) << "the content before goes on";
  put("a.yaml", kThree);
  EXPECT_EQ(times("a.yaml: step 1 done: fault gpu=0 xid 13"), 1U);
  EXPECT_EQ(shelf_->status().at(0).state, "running");
  put("b.yaml", "steps: [{do: fault gpu=0 xid 45}]");
  EXPECT_EQ(times("b.yaml: step 1 done: fault gpu=0 xid 45"), 1U);
}

TEST_F(ShelfTest, AProgramThatEndsInAStepDoesNotDoItAgain) {
  put("a.yaml", kThree);
  auto memory = read_memory(folder_ / "memory", std::to_string(machine_->header().created) + "." +
                                                    std::to_string(machine_->header().creator));
  ASSERT_EQ(memory.size(), 1U);
  memory.begin()->second.progress[1].phase = Phase::doing;
  ASSERT_TRUE(write_memory(
      folder_ / "memory", std::to_string(machine_->header().created) + "." + std::to_string(machine_->header().creator),
      memory));
  start();
  shelf_->update(files_);
  pass(30);
  EXPECT_TRUE(faults(1).empty());
  ASSERT_EQ(wrong_.size(), 1U);
  EXPECT_NE(wrong_[0].find("step 2 interrupted"), std::string::npos);
  EXPECT_EQ(times("a.yaml: step 3 done: fault gpu=0 xid 31"), 1U);
}

TEST_F(ShelfTest, ADamagedMemoryIsNone) {
  put("a.yaml", kThree);
  for (const auto* text : {"", "{", "[]", "{\"format\": 1, \"machine\": 3}", "{\"format\": 9}"}) {
    std::ofstream(folder_ / "memory") << text;
    start();
    shelf_->update(files_);
  }
  EXPECT_TRUE(wrong_.empty());
}

TEST_F(ShelfTest, ARoundThatWasMissedIsNotMadeUpFor) {
  put("a.yaml", "steps: [{every: 1s, do: fault gpu=0 xid 13}]");
  pass(100);
  pass(1);
  EXPECT_LE(times("a.yaml: step 1 done: fault gpu=0 xid 13"), 4U);
  EXPECT_GE(times("a.yaml: step 1 done: fault gpu=0 xid 13"), 3U);
}

}  // namespace
}  // namespace nvmlkit::scenario
