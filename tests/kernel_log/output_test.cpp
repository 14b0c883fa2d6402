// The spellings of a record, and where it goes.
#include "kernel_log/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "../taken.hpp"

namespace nvmlkit::kernel_log {
namespace {

const Record kXid{12, 5'140'900, Level::warning, "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus."};
const Record kLines{13, 83'005'140'900, Level::error, "one \\ two\nthree"};

std::string folder() {
  std::string path = testing::TempDir() + "/kernel-log-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

TEST(Spellings, OneLine) {
  EXPECT_EQ(print(kXid, Format::dmesg), "[    5.140900] " + kXid.text + "\n");
  EXPECT_EQ(print(kXid, Format::kmsg), "4,12,5140900,-;" + kXid.text + "\n");
  EXPECT_EQ(print(kXid, Format::kmsg_write), "<4>" + kXid.text + "\n");
  EXPECT_EQ(print(kXid, Format::journald), "<4>NVRM: " + kXid.text + "\n");
  EXPECT_EQ(print(kLines, Format::journald), "<3>" + kLines.text + "\n");
}

TEST(Spellings, SeveralLines) {
  EXPECT_EQ(print(kLines, Format::dmesg), "[83005.140900] one \\ two\n               three\n");
  EXPECT_EQ(print(kLines, Format::kmsg), "3,13,83005140900,-;one \\x5c two\\x0athree\n");
}

TEST(Outputs, AFileIsAppendedTo) {
  const auto path = folder() + "/log";
  for (const auto& record : {kXid, kLines}) {
    auto output = Output::open(path);
    ASSERT_TRUE(output);
    EXPECT_EQ(sim::text_of(output->write(record)), "");
  }
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), print(kXid, Format::kmsg) + print(kLines, Format::kmsg));
}

TEST(Outputs, AReadOfAPipeReturnsOneRecord) {
  const auto path = folder() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  auto output = Output::open(path);
  ASSERT_TRUE(output);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  for (const auto& record : {kXid, kLines}) ASSERT_TRUE(output->write(record));
  char bytes[8192];
  for (const auto& record : {kXid, kLines}) {
    const auto size = read(reader, bytes, sizeof bytes);
    ASSERT_GT(size, 0);
    EXPECT_EQ(std::string(bytes, static_cast<std::size_t>(size)), print(record, Format::kmsg));
  }
  close(reader);
}

TEST(Outputs, AFullPipeDropsRecordsAndStopsNobody) {
  const auto path = folder() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  auto output = Output::open(path);
  ASSERT_TRUE(output);
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(output->write(kXid));
}

TEST(Outputs, APlaceThatCannotBeWritten) {
  const auto output = Output::open(folder() + "/no/such/folder");
  ASSERT_FALSE(output);
  EXPECT_NE(sim::text_of(output.error()).find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace nvmlkit::kernel_log
