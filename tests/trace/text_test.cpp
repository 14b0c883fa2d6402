// Recordings as text, as counts, as differences, and as a trace of the bindings.
#include "trace/text.hpp"

#include <nvmlkit/interpose/trace.hpp>
#include <sstream>

#include "support.hpp"
#include "trace/summary.hpp"

namespace nvmlkit::trace {
namespace {

using nvml::Table;
using test::Folder;
using test::make_writer;
using test::number_of;
using test::record;
using test::word;

const std::size_t kGetPower = number_of(&Table::DeviceGetPowerUsage);

Recording recording_of(const Folder& folder, const std::string& name, const std::vector<unsigned int>& values,
                       Word device) {
  auto writer = make_writer(folder.file(name));
  for (const unsigned int value : values) {
    unsigned int out = 0;
    record(*writer, kGetPower, {device, word(&out)}, 0, [&] { out = value; });
  }
  writer.reset();
  return test::open(folder.file(name));
}

TEST(Text, OfACall) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  char name[96] = {};
  record(*writer, number_of(&Table::DeviceGetName), {0x7f00, word(name), 96}, 0,
         [&] { std::strcpy(name, "a \"b\"\n"); });
  record(*writer, number_of(&Table::DeviceGetHandleByPciBusId_v2), {word("0000:53:00.0"), 0}, 2);
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  const auto first = recording.call(recording.records[0]).value(),
             second = recording.call(recording.records[1]).value();
  EXPECT_EQ(question_text(recording, first), "nvmlDeviceGetName(device=0x7f00, name, length=96)");
  EXPECT_EQ(answer_text(recording, first, false), "success, name=\"a \\\"b\\\"?\"");
  EXPECT_EQ(question_text(recording, second),
            "nvmlDeviceGetHandleByPciBusId_v2(pciBusId=\"0000:53:00.0\", device=null)");
  EXPECT_EQ(answer_text(recording, second, false), "invalid_argument");
}

TEST(Summary, CountsAndFilters) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  unsigned int out = 0;
  for (int i = 0; i < 3; ++i) record(*writer, kGetPower, {0x7f00, word(&out)}, i == 0 ? 3 : 0);
  record(*writer, number_of(&Table::Init_v2), {}, 0);
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  const auto all = count(recording, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].function, "nvmlDeviceGetPowerUsage");
  EXPECT_EQ(all[0].calls, 3u);
  EXPECT_EQ(all[0].failed, 1u);
  EXPECT_EQ(all[0].total_ns, 2100u);
  EXPECT_EQ(count(recording, {.function = "nvmlDevice*"}).size(), 1u);
  EXPECT_EQ(count(recording, {.failed = true}).at(0).calls, 1u);
  EXPECT_TRUE(count(recording, {.thread = 2}).empty());
}

TEST(Summary, HandlesOfProcessesAreNoDifference) {
  const Folder folder;
  const auto a = recording_of(folder, "a", {1, 2}, 0x7f0011112222);
  const auto same = recording_of(folder, "b", {1, 2}, 0x7f0033334444);
  const auto other = recording_of(folder, "c", {1, 5, 6}, 0x7f0055556666);
  EXPECT_TRUE(compare(a, same, {}).empty());
  const auto rows = compare(a, other, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].question, "nvmlDeviceGetPowerUsage(device=#1, power)");
  EXPECT_EQ(rows[0].left, 2u);
  EXPECT_EQ(rows[0].right, 3u);
  EXPECT_EQ(rows[0].differing, 1u);
  EXPECT_EQ(rows[0].first_left, "success, power=2");
  EXPECT_EQ(rows[0].first_right, "success, power=5");
}

TEST(Text, LinesAreATraceOfTheBindings) {
  const Folder folder;
  const auto recording = recording_of(folder, "a", {17, 18}, 0x7f00);
  std::stringstream lines;
  lines << replay_header(recording) << '\n';
  for (const auto& entry : recording.records) lines << replay_line(recording, recording.call(entry).value()) << '\n';
  const auto replay = nvml::interpose::Replay::from_stream(lines);
  ASSERT_TRUE(replay.has_value()) << replay.error().message();
  unsigned int power = 0;
  const auto device = reinterpret_cast<abi::nvmlDevice_t>(0x7f00);
  EXPECT_EQ(replay->table().DeviceGetPowerUsage(device, &power), abi::NVML_SUCCESS);
  EXPECT_EQ(power, 17u);
  EXPECT_EQ(replay->table().DeviceGetPowerUsage(device, &power), abi::NVML_SUCCESS);
  EXPECT_EQ(power, 18u);
  EXPECT_TRUE(replay->unmatched().empty());
}

TEST(Text, LinesHaveWhatIsBehindPointers) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  abi::nvmlProcessDetail_v1_t room[2] = {};
  abi::nvmlProcessDetailList_t list{};
  const auto ask = [&] {
    list = {};
    list.version = sizeof list | 1u << 24;
    list.numProcArrayEntries = 2;
    list.procArray = room;
  };
  ask();
  record(*writer, number_of(&Table::DeviceGetRunningProcessDetailList), {0x7f00, word(&list)}, 0, [&] {
    list.numProcArrayEntries = 1;
    room[0].pid = 41;
  });
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  std::stringstream lines;
  lines << replay_header(recording) << '\n'
        << replay_line(recording, recording.call(recording.records[0]).value()) << '\n';
  const auto replay = nvml::interpose::Replay::from_stream(lines);
  ASSERT_TRUE(replay.has_value()) << replay.error().message();
  room[0].pid = 0;
  ask();
  const auto device = reinterpret_cast<abi::nvmlDevice_t>(0x7f00);
  EXPECT_EQ(replay->table().DeviceGetRunningProcessDetailList(device, &list), abi::NVML_SUCCESS);
  EXPECT_EQ(room[0].pid, 41u);
  EXPECT_EQ(list.numProcArrayEntries, 1u);
}

}  // namespace
}  // namespace nvmlkit::trace
