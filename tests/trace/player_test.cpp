// What a program gets from a recording.
#include "trace/player.hpp"

#include "support.hpp"
#include "trace/text.hpp"

namespace nvmlkit::trace {
namespace {

using nvml::Table;
using namespace abi;
using test::Folder;
using test::make_writer;
using test::number_of;
using test::record;
using test::word;

const std::size_t kGetPower = number_of(&Table::DeviceGetPowerUsage);

class Playing : public ::testing::Test {
 protected:
  Writer& writer() { return *writer_; }

  Player& play(Order order = Order::calls) {
    writer_.reset();
    player_ = std::make_unique<Player>(test::open(folder_.file("a")), order,
                                       [this](const std::string& call) { outside_.push_back(call); });
    return *player_;
  }

  Reply ask(std::size_t function, std::initializer_list<Word> arguments, std::uint64_t now = 1000) {
    std::vector<Word> words(arguments);
    words.push_back(0);
    return player_->answer(function, words.data(), now);
  }

  void record_power(unsigned int milliwatts, std::uint64_t start = 0, Word device = 0x7f00) {
    unsigned int out = 0;
    record(
        writer(), kGetPower, {device, word(&out)}, 0, [&] { out = milliwatts; }, start);
  }

  unsigned int power(std::uint64_t now = 1000, Word device = 0x7f00) {
    unsigned int out = 0;
    EXPECT_EQ(ask(kGetPower, {device, word(&out)}, now).result, 0u);
    return out;
  }

  Folder folder_;
  std::unique_ptr<Writer> writer_ = make_writer(folder_.file("a"));
  std::unique_ptr<Player> player_;
  std::vector<std::string> outside_;
};

TEST_F(Playing, TheSameQuestionGetsTheNextAnswerAndThenTheLast) {
  for (const unsigned int value : {10u, 20u, 30u}) record_power(value);
  record_power(7, 0, 0x7f10);
  play();
  EXPECT_EQ(power(), 10u);
  EXPECT_EQ(power(1000, 0x7f10), 7u);
  EXPECT_EQ(power(), 20u);
  EXPECT_EQ(power(), 30u);
  EXPECT_EQ(power(), 30u);
}

TEST_F(Playing, ByTimeTheAnswerIsTheLastOneOfThatTime) {
  for (const std::uint64_t second : {5, 6, 7}) record_power(static_cast<unsigned int>(second), second * 1000000000);
  play(Order::time);
  constexpr std::uint64_t kStart = 90000000000;
  EXPECT_EQ(power(kStart), 5u);
  EXPECT_EQ(power(kStart + 900000000), 5u);
  EXPECT_EQ(power(kStart + 1100000000), 6u);
  EXPECT_EQ(power(kStart + 60000000000), 7u);
}

TEST_F(Playing, ACallOutsideOfTheRecordingIsNamed) {
  record_power(1);
  play();
  unsigned int out = 77;
  const Reply reply = ask(kGetPower, {0xbad0, word(&out)});
  EXPECT_EQ(reply.match, Match::outside);
  EXPECT_EQ(static_cast<int>(reply.result), NVML_ERROR_UNKNOWN);
  EXPECT_EQ(out, 77u);
  ASSERT_EQ(outside_.size(), 1u);
  EXPECT_EQ(outside_[0], "nvmlDeviceGetPowerUsage(device=0xbad0, power)");
}

TEST_F(Playing, LeftoversInAnAnswersStructDoNotCount) {
  nvmlMemory_v2_t memory{};
  memory.version = version_tag<nvmlMemory_v2_t>;
  memory.used = 0xdead;
  const auto function = number_of(&Table::DeviceGetMemoryInfo_v2);
  record(writer(), function, {0x7f00, word(&memory)}, 0, [&] { memory.used = 5; });
  play();
  nvmlMemory_v2_t other{};
  other.version = version_tag<nvmlMemory_v2_t>;
  other.total = 0xbeef;
  EXPECT_EQ(ask(function, {0x7f00, word(&other)}).match, Match::exact);
  EXPECT_EQ(other.used, 5u);
}

TEST_F(Playing, AStructOfAnOlderVersionIsNotReadPastItsEnd) {
  // The first 24 bytes are the caller's; its version has that size.
  std::vector<unsigned char> heap(24, 0);
  const unsigned int version = 24 | 1u << 24;
  std::memcpy(heap.data(), &version, sizeof version);
  const auto function = number_of(&Table::DeviceGetGpuFabricInfoV);
  record(writer(), function, {0x7f00, word(heap.data())}, 0, [&] { heap[23] = 9; });
  play();
  std::vector<unsigned char> other(24, 0);
  std::memcpy(other.data(), &version, sizeof version);
  EXPECT_EQ(ask(function, {0x7f00, word(other.data())}).result, 0u);
  EXPECT_EQ(other[23], 9);
}

TEST_F(Playing, OfSeveralCloseQuestionsTheClosestIsTaken) {
  const auto function = number_of(&Table::DeviceGetTemperatureV);
  for (const unsigned int sensor : {0u, 255u}) {
    nvmlTemperature_t question{};
    question.version = version_tag<nvmlTemperature_t>;
    question.sensorType = static_cast<nvmlTemperatureSensors_t>(sensor);
    question.temperature = 0x01010101;
    record(writer(), function, {0x7f00, word(&question)}, 0,
           [&] { question.temperature = 40 + static_cast<int>(sensor); });
  }
  play();
  nvmlTemperature_t question{};
  question.version = version_tag<nvmlTemperature_t>;
  question.sensorType = static_cast<nvmlTemperatureSensors_t>(255);
  question.temperature = 0x02010101;
  EXPECT_EQ(ask(function, {0x7f00, word(&question)}).match, Match::close);
  EXPECT_EQ(question.temperature, 295);
  question.version = 2;  // another version is another question
  EXPECT_EQ(ask(function, {0x7f00, word(&question)}).match, Match::outside);
}

TEST_F(Playing, FieldValuesAreAskedByIdAndScope) {
  nvmlFieldValue_t values[2] = {};
  values[0].fieldId = 83;
  values[1].fieldId = 91;
  values[1].timestamp = 0x5eed;  // a leftover
  const auto function = number_of(&Table::DeviceGetFieldValues);
  record(writer(), function, {0x7f00, 2, word(values)}, 0, [&] { values[1].value.uiVal = 12; });
  play();
  nvmlFieldValue_t again[2] = {};
  again[0].fieldId = 83;
  again[1].fieldId = 91;
  again[0].latencyUsec = 99;
  EXPECT_EQ(ask(function, {0x7f00, 2, word(again)}).match, Match::exact);
  EXPECT_EQ(again[1].value.uiVal, 12u);
  again[0].fieldId = 84;
  EXPECT_EQ(ask(function, {0x7f00, 2, word(again)}).match, Match::outside);
}

TEST_F(Playing, CountsAndArraysOfAProbe) {
  const auto function = number_of(&Table::DeviceGetComputeRunningProcesses_v3);
  unsigned int count = 0;
  record(writer(), function, {0x7f00, word(&count), 0}, NVML_ERROR_INSUFFICIENT_SIZE, [&] { count = 2; });
  nvmlProcessInfo_t processes[8] = {};
  count = 8;
  record(writer(), function, {0x7f00, word(&count), word(processes)}, 0, [&] {
    count = 2;
    processes[1].pid = 4242;
  });
  play();
  nvmlProcessInfo_t seen[8] = {};
  seen[2].pid = 1;
  unsigned int room = 0;
  EXPECT_EQ(static_cast<int>(ask(function, {0x7f00, word(&room), 0}).result), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(room, 2u);
  room = 8;
  EXPECT_EQ(ask(function, {0x7f00, word(&room), word(seen)}).result, 0u);
  EXPECT_EQ(room, 2u);
  EXPECT_EQ(seen[1].pid, 4242u);
  EXPECT_EQ(seen[2].pid, 1u);
  // Less room than the answer needs.
  room = 1;
  EXPECT_EQ(static_cast<int>(ask(function, {0x7f00, word(&room), word(seen)}).result), NVML_ERROR_INSUFFICIENT_SIZE);
}

TEST_F(Playing, ArraysBehindPointersOfStructs) {
  const auto function = number_of(&Table::DeviceGetProcessesUtilizationInfo);
  const auto question = [](nvmlProcessUtilizationInfo_v1_t* array) {
    nvmlProcessesUtilizationInfo_t out{};
    out.version = version_tag<nvmlProcessesUtilizationInfo_t>;
    out.processSamplesCount = 4;
    out.procUtilArray = array;
    return out;
  };
  nvmlProcessUtilizationInfo_v1_t recorded[4] = {}, seen[4] = {};
  auto first = question(recorded), second = question(seen);
  record(writer(), function, {0x7f00, word(&first)}, 0, [&] {
    first.processSamplesCount = 2;
    recorded[1].smUtil = 31;
  });
  play();
  EXPECT_EQ(ask(function, {0x7f00, word(&second)}).match, Match::exact);
  EXPECT_EQ(second.procUtilArray, seen);
  EXPECT_EQ(second.processSamplesCount, 2u);
  EXPECT_EQ(seen[1].smUtil, 31u);
}

TEST_F(Playing, TextsBehindPointersOfStructs) {
  const auto function = number_of(&Table::GpmMetricsGet);
  auto first = std::make_unique<nvmlGpmMetricsGet_t>(), second = std::make_unique<nvmlGpmMetricsGet_t>();
  for (auto* question : {first.get(), second.get()}) {
    question->version = 1;
    question->numMetrics = 2;
    question->metrics[0].metricId = 1;
    question->metrics[1].metricId = 10;
  }
  second->metrics[1].metricInfo.unit = reinterpret_cast<char*>(0x10);  // a leftover that nobody may follow
  char unit[] = "MiB/s";
  record(writer(), function, {word(first.get())}, 0, [&] {
    first->metrics[1].value = 2.5;
    first->metrics[1].metricInfo.unit = unit;
  });
  play();
  EXPECT_EQ(ask(function, {word(second.get())}).match, Match::exact);
  EXPECT_EQ(second->metrics[1].value, 2.5);
  EXPECT_STREQ(second->metrics[1].metricInfo.unit, "MiB/s");
  EXPECT_EQ(second->metrics[0].metricInfo.unit, nullptr);
}

TEST_F(Playing, TextsThatStructsPointToArePartOfTheQuestion) {
  const auto function = number_of(&Table::DeviceGetMemoryLimits_v1);
  const auto ask_for = [](const char* name) {
    nvmlGetMemoryLimits_v1_t out{};
    out.nameSpace = name;
    return out;
  };
  auto first = ask_for("/slice/a");
  record(writer(), function, {0x7f00, word(&first)}, 0, [&] { first.hardLimit = 8; });
  play();
  const std::string name = "/slice/a", other = "/slice/b";
  auto same = ask_for(name.c_str()), different = ask_for(other.c_str());
  EXPECT_EQ(ask(function, {0x7f00, word(&same)}).match, Match::exact);
  EXPECT_EQ(same.hardLimit, 8u);
  EXPECT_EQ(same.nameSpace, name.c_str());
  EXPECT_EQ(ask(function, {0x7f00, word(&different)}).match, Match::outside);
}

TEST_F(Playing, TextsOfErrorsStay) {
  const auto function = number_of(&Table::ErrorString);
  char text[] = "Driver Not Loaded";
  Word words[] = {9, 0};
  Encoder encoder(function, shape(function), words);
  encoder.question();
  encoder.answer(word(text), {.start = 0, .duration = 1, .thread = 1});
  writer().append(encoder.bytes());
  play();
  EXPECT_STREQ(reinterpret_cast<const char*>(ask(function, {9}).result), "Driver Not Loaded");
  EXPECT_STREQ(reinterpret_cast<const char*>(ask(function, {10}).result), "Unknown Error");
}

TEST_F(Playing, AWaitHasItsDuration) {
  const auto function = number_of(&Table::EventSetWait_v2);
  nvmlEventData_t event{};
  record(writer(), function, {0x7f00, word(&event), 100}, NVML_ERROR_TIMEOUT);
  play();
  EXPECT_EQ(ask(function, {0x7f00, word(&event), 100}).waited, 700u);
  EXPECT_EQ(shape(kGetPower).waits, false);
}

// Each function of the API has a shape that its recordings can be read with.
TEST(Shapes, EveryFunctionIsEncodedAndReadWithNullsAsArguments) {
  const Folder folder;
  auto writer = make_writer(folder.file("a"));
  const std::vector<Word> nothing(nvml::interpose::kMostArguments, 0);
  for (std::size_t i = 0; i < function_count(); ++i) {
    ASSERT_LE(shape(i).arguments.size(), nvml::interpose::kMostArguments) << shape(i).name;
    ASSERT_LE(shape(i).pointers.size(), 8u) << shape(i).name;
    EXPECT_EQ(find_function(shape(i).name), i);
    Encoder encoder(i, shape(i), nothing.data());
    encoder.question();
    encoder.answer(0, {.start = 1, .duration = 1, .thread = 1});
    writer->append(encoder.bytes());
  }
  writer.reset();
  const auto recording = test::open(folder.file("a"));
  ASSERT_EQ(recording.records.size(), function_count());
  for (std::size_t i = 0; i < function_count(); ++i) {
    const auto call = recording.call(recording.records[i]);
    ASSERT_TRUE(call) << shape(i).name;
    EXPECT_EQ(recording.functions[call->function].known, i);
    EXPECT_NE(question_text(recording, *call).find(shape(i).name), std::string::npos);
  }
}

}  // namespace
}  // namespace nvmlkit::trace
