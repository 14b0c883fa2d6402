// Blocks of bytes: writers and readers, writers that die, files. Nothing here knows what the bytes mean.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "../emulator.hpp"
#include "storage/file.hpp"
#include "storage/lock.hpp"

namespace nvmlkit::storage {
namespace {

// All numbers of a record are the same whenever nobody writes it.
using Record = std::array<std::uint64_t, 1000>;

constexpr Format kFormat{"storage test", 7, "1.2.3"};
constexpr std::size_t kFirst = in_lines(sizeof(Header));
constexpr std::size_t kRecords = kFirst + in_lines(sizeof(Record));

// Header | one record for all | records | journal | records that grow
Shape shape_of(std::size_t records) {
  Shape out{};
  out.record_count = records;
  out.journal_at = kRecords + records * sizeof(Record);
  out.journal_size = sizeof(Record);
  out.sparse_at = in_pages(out.journal_at + out.journal_size);
  out.size = out.sparse_at + records * sizeof(Record);
  out.columns = {Column{kRecords, sizeof(Record)}, Column{out.sparse_at, sizeof(Record)}};
  return out;
}

Record filled(std::uint64_t number) {
  Record out;
  out.fill(number);
  return out;
}

bool is_whole(const Record& record) { return record == filled(record.front()); }

class Storage : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/storage_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "block") const { return folder_ + "/" + name; }

  static std::unique_ptr<Block> private_block(std::size_t records) {
    return std::make_unique<Block>(map_private(kFormat, shape_of(records)), shape_of(records), Access::private_memory);
  }

  std::string make(std::size_t records) const {
    const auto shape = shape_of(records);
    NewFile file(path(), shape);
    EXPECT_EQ(file.error(), 0);
    const Block block(file.mapping(), shape, Access::shared);
    EXPECT_TRUE(make_header(block.header(), kFormat, shape));
    EXPECT_TRUE(file.publish());
    return path();
  }

  static std::unique_ptr<Block> open(const std::string& file, std::size_t records) {
    const auto opened = open_file(file, kFormat, shape_of);
    EXPECT_EQ(opened.flaw, Flaw::none);
    return std::make_unique<Block>(opened.mapping, shape_of(records), opened.access);
  }

  Flaw flaw_with(std::size_t offset, char byte) const {
    std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
    file.close();
    return open_file(path(), kFormat, shape_of).flaw;
  }

 private:
  std::string folder_;
};

const Record& record(const Block& block, std::size_t i) {
  return reinterpret_cast<const Record*>(block.bytes() + kRecords)[i];
}

bool write(const Block& block, const Record& at, std::uint64_t number) {
  const Lock lock(block);
  const auto with = filled(number);
  return lock.refusal() == Refusal::none && lock.replace(&at, &with, sizeof with);
}

TEST_F(Storage, AWriteCountsOnTheSequenceOfItsRecordAlone) {
  const auto block = private_block(3);
  ASSERT_TRUE(write(*block, record(*block, 1), 5));
  EXPECT_EQ(record(*block, 1), filled(5));
  EXPECT_EQ(record(*block, 0), filled(0));
  const auto& header = block->header();
  EXPECT_EQ(header.records[0], 0U);
  EXPECT_EQ(header.records[1], 2U);
  EXPECT_EQ(header.records[2], 0U);
  EXPECT_EQ(header.any, 2U);
  EXPECT_EQ(header.writes, 1U);
  EXPECT_EQ(header.journal.valid, 0U);
}

TEST_F(Storage, WhatLiesOutsideOfRecordsCountsOnTheCommonSequence) {
  const auto block = private_block(2);
  ASSERT_TRUE(write(*block, *reinterpret_cast<const Record*>(block->bytes() + kFirst), 9));
  EXPECT_EQ(block->header().any, 2U);
  EXPECT_EQ(block->header().records[0] + block->header().records[1], 0U);
}

TEST_F(Storage, TheSameBytesAreNoWrite) {
  const auto block = private_block(1);
  ASSERT_TRUE(write(*block, record(*block, 0), 0));
  EXPECT_EQ(block->header().writes, 0U);
}

TEST_F(Storage, APieceOfTwoRecordsOrOfTheHeaderIsRefused) {
  const auto block = private_block(2);
  const Lock lock(*block);
  const auto with = filled(1);
  const auto refuses = [&](std::size_t offset) { return !lock.replace(block->bytes() + offset, &with, sizeof with); };
  EXPECT_TRUE(refuses(0));
  EXPECT_TRUE(refuses(kRecords + 64));
  EXPECT_TRUE(refuses(block->shape().journal_at));
  EXPECT_TRUE(refuses(block->shape().journal_at - 64));
  EXPECT_FALSE(refuses(kRecords));
  EXPECT_EQ(block->header().writes, 1U);
}

TEST_F(Storage, ReadersNeverSeeHalfAChange) {
  const auto block = private_block(1);
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> reads = 0, torn = 0;
  std::thread reader([&] {
    while (!done) {
      bool whole = false;
      auto look = [&] { whole = is_whole(record(*block, 0)); };
      if (!try_read(block->header().records[0], look)) continue;
      ++reads;
      torn += whole ? 0 : 1;
    }
  });
  for (std::uint64_t n = 1; n <= 3000 || reads < 100; ++n) EXPECT_TRUE(write(*block, record(*block, 0), n));
  done = true;
  reader.join();
  EXPECT_EQ(torn, 0U);
}

// Children write until they are killed. Records in both columns are whole afterwards, and the lock says that somebody
// died with it.
TEST_F(Storage, ADeadWritersChangeIsUndone) {
  NVMLKIT_NEEDS_ROBUST_LOCKS();
  const auto block = open(make(2), 2);
  const auto& grown = *reinterpret_cast<const Record*>(block->bytes() + block->shape().sparse_at);
  int recoveries = 0;
  for (int round = 0; round < 300 && recoveries < 10; ++round) {
    const pid_t child = fork();
    if (child == 0)
      for (std::uint64_t n = static_cast<std::uint64_t>(round) << 20;; ++n)
        write(*block, n % 2 == 0 ? record(*block, 1) : grown, n);
    usleep(static_cast<useconds_t>(200 + round * 7));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    const Lock lock(*block);
    ASSERT_EQ(lock.refusal(), Refusal::none);
    recoveries += lock.recovered() ? 1 : 0;
    ASSERT_TRUE(is_whole(record(*block, 1)) && is_whole(grown)) << "round " << round;
    ASSERT_EQ(block->header().records[0] % 2 + block->header().any % 2, 0U);
  }
  EXPECT_GT(recoveries, 0);  // else the test has shown nothing
  EXPECT_FALSE(Lock(*block).recovered());
}

TEST_F(Storage, AFileWithoutAPublishedNameLeavesNothing) {
  { const NewFile file(path(), shape_of(1)); }
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
  EXPECT_NE(NewFile(path() + "/none/file", shape_of(1)).error(), 0);
}

TEST_F(Storage, AFileOfAnotherFormatIsRefused) {
  make(1);
  const auto opened = open_file(path(), kFormat, shape_of);
  ASSERT_EQ(opened.flaw, Flaw::none);
  munmap(opened.mapping, shape_of(1).size);
  EXPECT_TRUE(has_magic(path(), kFormat));
  EXPECT_EQ(flaw_with(offsetof(Header, record_count), 2), Flaw::damaged);
  EXPECT_EQ(flaw_with(offsetof(Header, layout), 8), Flaw::other_layout);
  EXPECT_EQ(flaw_with(offsetof(Header, version), '9'), Flaw::other_version);
  EXPECT_EQ(flaw_with(0, 'x'), Flaw::no_block);
  EXPECT_FALSE(has_magic(path(), kFormat));
  EXPECT_EQ(open_file(path("none"), kFormat, shape_of).flaw, Flaw::missing);
  EXPECT_EQ(open_file(path(""), kFormat, shape_of).flaw, Flaw::no_file);
}

TEST_F(Storage, AFileOfAnotherLengthIsRefused) {
  make(1);
  std::ofstream(path(), std::ios::app) << 'x';
  const auto opened = open_file(path(), kFormat, shape_of);
  EXPECT_EQ(opened.flaw, Flaw::other_length);
  EXPECT_EQ(opened.file_size, shape_of(1).size + 1);
}

}  // namespace
}  // namespace nvmlkit::storage
