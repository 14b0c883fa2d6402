// What attaches to a state file, and what is refused.
#include <sys/stat.h>

#include <cstddef>
#include <random>

#include "../taken.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"
#include "sim/state/lock.hpp"
#include "sim/transaction/edit.hpp"
#include "state_support.hpp"

namespace nvmlkit::sim {
namespace {

using storage::Header;

TEST_F(StateFile, HoldsTheMachineItWasMadeFrom) {
  std::string error;
  const auto machine = taken(load_machine({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_GPU_COUNT", "3"}}), error);
  const auto shared = attach(make(3));
  ASSERT_EQ(shared->gpus().size(), 3U);
  EXPECT_EQ(shared->access(), Access::shared);
  EXPECT_TRUE(model::equal(machine->host(), shared->host()));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(model::equal(machine->gpus()[i], shared->gpus()[i]));
  EXPECT_STREQ(shared->header().origin, "h100");
}

TEST_F(StateFile, IsItsOwnersAlone) {
  struct stat status {};
  ASSERT_EQ(stat(make(1).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(StateFile, AdmitsOthersWhereThatIsSaid) {
  std::string error;
  const auto machine = taken(load_machine({{"NVMLKIT_MACHINE", "t4"}, {"NVMLKIT_GPU_COUNT", "1"}}), error);
  const auto path = make(1) + "-for-others";
  const auto mode = [&] {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0U;
  };
  ASSERT_TRUE(state::save(*machine, path, "t4", {.owner = getuid(), .group = getgid(), .mode = 0640}));
  EXPECT_EQ(mode(), 0640U);
  ASSERT_TRUE(state::permit(path, {.mode = 0666}));
  EXPECT_EQ(mode(), 0666U);
  unlink(path.c_str());
  EXPECT_FALSE(state::permit(path, {.mode = 0666}));
  if (geteuid() == 0) return;  // root gives files away
  EXPECT_FALSE(state::save(*machine, path, "t4", {.owner = 0}));
  EXPECT_EQ(mode(), 0U);
}

TEST_F(StateFile, TheEnvironmentLeadsToIt) {
  const auto file = make(2);
  std::string error;
  const auto machine = taken(load_machine({{"NVMLKIT_STATE", file}, {"NVMLKIT_MACHINE", "t4"}}), error);
  ASSERT_NE(machine, nullptr) << error;
  EXPECT_EQ(machine->gpus().size(), 2U);
  EXPECT_EQ(taken(load_machine({{"NVMLKIT_STATE", path("none")}}), error), nullptr);
  EXPECT_TRUE(error.starts_with("NVMLKIT_STATE: " + path("none") + ": there is no such file")) << error;
}

TEST_F(StateFile, AChangeIsSeenByEveryone) {
  const auto file = make(2);
  const auto one = attach(file), two = attach(file);
  {
    const state::Lock lock(*one);
    ASSERT_TRUE(lock);
    transaction::Edit edit(lock, 1);
    edit->power.limit_mw = 300'000;
    EXPECT_NE(*two->gpus()[1].power.limit_mw, 300'000U);
    edit.commit();
  }
  EXPECT_EQ(*two->gpus()[1].power.limit_mw, 300'000U);
  EXPECT_NE(*two->gpus()[0].power.limit_mw, 300'000U);
  EXPECT_EQ(two->header().writes, 1U);
}

TEST_F(StateFile, WhatIsNoStateFileIsRefused) {
  EXPECT_NE(refusal(path("missing")).find("no such file"), std::string::npos);
  EXPECT_NE(refusal(write("empty", "")).find("no state file"), std::string::npos);
  EXPECT_NE(refusal(write("text", std::string(100'000, 'x'))).find("no state file"), std::string::npos);
  EXPECT_NE(refusal(testing::TempDir()).find("is no file"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("is no file"), std::string::npos);
}

TEST_F(StateFile, AnotherLengthIsRefused) {
  const std::string good = bytes_of(make(2));
  for (const std::size_t size : {sizeof(Header) - 1, sizeof(Header), good.size() / 2, good.size() - 1})
    refusal(write("short", good.substr(0, size)));
  EXPECT_NE(refusal(write("long", good + "x")).find("bytes where its header says"), std::string::npos);
}

TEST_F(StateFile, AnotherVersionOrLayoutIsRefused) {
  const std::string good = bytes_of(make(1));
  auto other = good;
  other.replace(offsetof(Header, version), 6, "9.9.9\0", 6);
  EXPECT_NE(refusal(write("version", other)).find("made by nvmlkit '9.9.9'"), std::string::npos);
  other = good;
  other[offsetof(Header, layout)] ^= 1;
  EXPECT_NE(refusal(write("layout", other)).find("another build"), std::string::npos);
  other = good;
  other[offsetof(Header, record_count)] = 2;
  EXPECT_NE(refusal(write("count", other)).find("damaged"), std::string::npos);
}

TEST_F(StateFile, ValuesThatNobodyCouldHaveWrittenAreRefused) {
  const std::string good = bytes_of(make(1));
  for (const auto field : {offsetof(model::Gpu, power.limit_mw.present), offsetof(model::Gpu, multi_gpu_board.value),
                           offsetof(model::Gpu, processes.count) + 2}) {
    auto other = good;
    other[state::kGpusAt + field] = 9;
    EXPECT_NE(refusal(write("value", other)).find("damaged"), std::string::npos) << field;
  }
}

TEST_F(StateFile, RandomBytesNeverCrash) {
  const std::string good = bytes_of(make(1));
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    auto other = good;
    for (int i = 0; i < 8; ++i) other[random() % other.size()] = static_cast<char>(random());
    std::string error;
    if (const auto machine = taken(state::attach(write("random", other)), error); !machine) {
      EXPECT_FALSE(error.empty());
    }
  }
}

TEST_F(StateFile, AFileThatCannotBeMadeLeavesNothing) {
  std::string error;
  const auto machine = Machine::create(1);
  EXPECT_FALSE(taken(state::save(*machine, path() + "/none/file", "x"), error));
  EXPECT_NE(error.find("cannot be made"), std::string::npos) << error;
  std::filesystem::create_directories(path("folder"));
  EXPECT_FALSE(taken(state::save(*machine, path("folder"), "x"), error));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
}

TEST(LayoutHash, StandsStill) { EXPECT_EQ(state::layout_hash(), state::layout_hash()); }

}  // namespace
}  // namespace nvmlkit::sim
