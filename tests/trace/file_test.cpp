// Files: what is in them after an orderly end, a kill, a full disk, and more calls than the bound allows.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "support.hpp"

namespace nvmlkit::trace {
namespace {

using nvml::Table;
using test::Folder;
using test::make_writer;
using test::number_of;
using test::record;
using test::word;

const std::size_t kGetPower = number_of(&Table::DeviceGetPowerUsage);

void record_power(Writer& writer, unsigned int milliwatts) {
  unsigned int out = 0;
  record(writer, kGetPower, {0x7f00, word(&out)}, 0, [&] { out = milliwatts; });
}

unsigned int power_in(const Call& call) {
  unsigned int out = 0;
  std::memcpy(&out, call.arguments.at(1).out.value().data(), sizeof out);
  return out;
}

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(File, HoldsCallsWithTheirArgumentsAndAnswers) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  char name[96] = {};
  record(*writer, number_of(&Table::DeviceGetName), {0x7f00, word(name), 96}, 0,
         [&] { std::strcpy(name, "NVIDIA H100"); });
  record(*writer, kGetPower, {0x7f00, 0}, 2);
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  EXPECT_EQ(recording.program, "app --flag");
  EXPECT_EQ(recording.library, "/lib/one");
  EXPECT_TRUE(recording.closed);
  ASSERT_EQ(recording.records.size(), 2u);
  const auto call = recording.call(recording.records[0]).value();
  EXPECT_EQ(recording.functions[call.function].name, "nvmlDeviceGetName");
  EXPECT_EQ(call.arguments[0].word, 0x7f00u);
  EXPECT_EQ(call.arguments[1].out, std::string("NVIDIA H100\0", 12));
  EXPECT_EQ(call.duration, 700u);
  const auto failed = recording.call(recording.records[1]).value();
  EXPECT_EQ(failed.result, 2);
  EXPECT_EQ(failed.arguments[1].word, 0u);
  EXPECT_FALSE(failed.arguments[1].out);
}

TEST(File, AGetterTakesFewBytes) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  record_power(*writer, 1);
  writer->close();
  const auto before = std::filesystem::file_size(folder.file("a"));
  writer = make_writer(folder.file("b"));
  for (unsigned int i = 0; i < 101; ++i) record_power(*writer, i);
  writer->close();
  EXPECT_LE(std::filesystem::file_size(folder.file("b")) - before, 100u * 40);
}

TEST(File, IsReadWhileItIsWritten) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  record_power(*writer, 5);
  const auto recording = test::open(folder.file("a"));
  EXPECT_FALSE(recording.closed);
  ASSERT_EQ(recording.records.size(), 1u);
}

// A part of a file, or a file with a changed byte, has the first of the calls and never a wrong one.
TEST(File, DamageEndsTheCallsOfItsSegment) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  for (unsigned int i = 0; i < 20; ++i) record_power(*writer, i);
  writer.reset();
  const std::string whole = bytes_of(folder.file("a"));
  const auto check = [&](std::string bytes, std::size_t place) {
    const auto recording = parse(std::move(bytes), "a");
    ASSERT_TRUE(recording.has_value()) << place;
    EXPECT_LT(recording->records.size(), 20u) << place;
    for (std::size_t i = 0; i < recording->records.size(); ++i)
      EXPECT_EQ(power_in(recording->call(recording->records[i]).value()), i) << place;
  };
  FileHeader header;
  std::memcpy(&header, whole.data(), sizeof header);
  // The padding of a record is part of no record.
  const std::size_t last = whole.size() - kWordBytes;
  for (std::size_t place = header.header_bytes + sizeof(SegmentHeader); place < last; ++place)
    check(whole.substr(0, place), place);
  for (std::size_t place = header.header_bytes + sizeof(SegmentHeader); place < last; place += kWordBytes) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    check(std::move(changed), place);
  }
}

TEST(File, WhatIsNoRecordingIsRefused) {
  EXPECT_FALSE(parse("", "a"));
  EXPECT_FALSE(parse(std::string(5000, 'x'), "a"));
  const Folder folder;
  make_writer(folder.file("a")).reset();
  std::string bytes = bytes_of(folder.file("a"));
  bytes[8] = 9;  // the format
  const auto other = parse(bytes, "a");
  ASSERT_FALSE(other);
  EXPECT_NE(sim::text_of(other.error()).find("another format"), std::string::npos);
  EXPECT_FALSE(read(folder.file("missing")));
}

TEST(File, KeepsTheFirstAndTheNewestCallsWithinItsBound) {
  const Folder folder;
  constexpr std::uint64_t kLimit = WriterOptions::kLeastLimit;
  constexpr unsigned int kCalls = 50000;
  auto writer = make_writer(folder.file("a"), kLimit);
  for (unsigned int i = 0; i < kCalls; ++i) record_power(*writer, i);
  writer.reset();
  EXPECT_LE(std::filesystem::file_size(folder.file("a")), kLimit);
  const auto recording = test::open(folder.file("a"));
  EXPECT_EQ(recording.written, kCalls);
  EXPECT_EQ(recording.dropped, 0u);
  EXPECT_EQ(recording.lost(), kCalls - recording.records.size());
  EXPECT_GT(recording.lost(), 0u);
  EXPECT_EQ(recording.records.front().number, 0u);
  EXPECT_EQ(recording.records.back().number, kCalls - 1);
  std::size_t gaps = 0;
  for (std::size_t i = 0; i < recording.records.size(); ++i) {
    EXPECT_EQ(power_in(recording.call(recording.records[i]).value()), recording.records[i].number);
    gaps += i > 0 && recording.records[i].number != recording.records[i - 1].number + 1;
  }
  EXPECT_EQ(gaps, 1u);
}

TEST(File, ACallLargerThanASegmentIsCountedAsDropped) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"), WriterOptions::kLeastLimit);
  std::vector<unsigned char> large(300000, 'x');
  writer->append(large);
  record_power(*writer, 1);
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  EXPECT_EQ(recording.dropped, 1u);
  EXPECT_EQ(recording.records.size(), 1u);
}

// A limit of the process stands for a full disk: both refuse to make the file larger.
class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0); }
  void TearDown() override { setrlimit(RLIMIT_FSIZE, &before_); }
  void leave(std::uint64_t bytes) {
    rlimit less = before_;
    less.rlim_cur = bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  }
  rlimit before_{};
};

TEST_F(FullDisk, TheNewestCallsReplaceOlderOnes) {
  const Folder folder;
  constexpr unsigned int kCalls = 60000;
  leave(1200000);  // four segments of 256 KiB
  auto writer = make_writer(folder.file("a"));
  for (unsigned int i = 0; i < kCalls; ++i) record_power(*writer, i);
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  EXPECT_EQ(recording.written, kCalls);
  EXPECT_EQ(recording.records.front().number, 0u);
  EXPECT_EQ(recording.records.back().number, kCalls - 1);
  EXPECT_GT(recording.lost(), 0u);
}

TEST_F(FullDisk, WithoutRoomForSegmentsCallsAreDroppedAndCounted) {
  const Folder folder;
  constexpr unsigned int kCalls = 30000;
  leave(400000);  // one segment
  auto writer = make_writer(folder.file("a"));
  for (unsigned int i = 0; i < kCalls; ++i) record_power(*writer, i);
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  EXPECT_GT(recording.records.size(), 1000u);
  EXPECT_EQ(recording.records.size() + recording.dropped, kCalls);
}

TEST_F(FullDisk, AFileWithoutRoomForItsStartIsNotMade) {
  const Folder folder;
  leave(10000);
  const auto made = Writer::create({.path = folder.file("a"), .program = "", .library = "", .present = {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, sim::ProblemKind::unusable_file);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
}

// Four threads write until the process is killed. Each call that had returned is in the file.
TEST(File, AKilledProcessLeavesEveryFinishedCall) {
  for (int round = 0; round < 20; ++round) {
    const Folder folder;
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto writer = make_writer(folder.file("a"));
      const auto work = [&](unsigned int thread) {
        for (unsigned int i = 0;; ++i) {
          record_power(*writer, thread << 28 | i);
          if (thread == 0 && i % 100 == 0 && write(pipe_ends[1], &i, sizeof i) < 0) _exit(1);
        }
      };
      std::thread threads[] = {std::thread(work, 0), std::thread(work, 1), std::thread(work, 2), std::thread(work, 3)};
      for (auto& thread : threads) thread.join();
    }
    close(pipe_ends[1]);
    unsigned int finished = 0;
    for (int i = 0; i < 1 + round * 2; ++i) ASSERT_EQ(::read(pipe_ends[0], &finished, sizeof finished), ssize_t{4});
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    unsigned int later = 0;
    while (::read(pipe_ends[0], &later, sizeof later) == ssize_t{4}) finished = later;
    close(pipe_ends[0]);

    const auto recording = test::open(folder.file("a"));
    EXPECT_FALSE(recording.closed);
    std::vector<unsigned int> newest(4, 0);
    for (const auto& entry : recording.records) {
      const unsigned int power = power_in(recording.call(entry).value());
      newest[power >> 28] = power & 0xfffffff;
    }
    EXPECT_GE(newest[0], finished);
    EXPECT_EQ(recording.written, recording.records.back().number + 1);
  }
}

}  // namespace
}  // namespace nvmlkit::trace
