// The text of a machine: paths, scalars, quotes, machine files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"
#include "sim/text/flow.hpp"
#include "sim/text/machine_text.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/quoting.hpp"
#include "sim/text/scalar.hpp"
#include "sim/text/walk.hpp"

namespace nvmlkit::sim::text {
namespace {

const model::FieldDescriptor& gpu_field(std::string_view path) {
  return *find_field(model::descriptor<model::Gpu>(), path).field;
}

TEST(Quoting, CharactersOfYamlStayAndOthersAreEscaped) {
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("a \"b\" \\ c"), R"("a \"b\" \\ c")");
  EXPECT_EQ(quoted("é € 😀 \xEF\xBF\xBD"), "\"é € 😀 \xEF\xBF\xBD\"");
  EXPECT_EQ(quoted("\n\x7F\xC2\x85"), R"("\x0A\x7F\x85")");
  EXPECT_EQ(quoted("\xE2\x80\xA8\xEF\xBB\xBF\xEF\xBF\xBE"), R"("\U00002028\U0000FEFF\U0000FFFE")");
}

// Spellings that are too long, surrogates, numbers above the last character, cut characters, lone bytes.
TEST(Quoting, OtherBytesThanUtf8) {
  const std::string_view kWrong[] = {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xFF"};
  for (const auto wrong : kWrong) {
    std::string bytes, replaced;
    for (const char byte : wrong) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02X", static_cast<unsigned char>(byte));
      bytes += escape.data();
      replaced += "\xEF\xBF\xBD";
    }
    EXPECT_EQ(quoted(wrong, NotUtf8::latin1), "\"" + bytes + "\"");
    EXPECT_EQ(quoted(wrong), "\"" + replaced + "\"");
  }
  EXPECT_EQ(quoted("a\xE2\x82"), "\"a\xEF\xBF\xBD\"") << "one cut character";
  EXPECT_EQ(quoted("\xE2\x82z", NotUtf8::latin1), R"("\xE2\x82z")");
}

TEST(Quoting, EveryByteComesBackThroughTheReader) {
  model::Gpu gpu{};
  for (unsigned byte = 0x20; byte < 0x100; ++byte) {
    if (byte == 0x7F) continue;
    const std::string given = {'a', static_cast<char>(byte), 'b'};
    ASSERT_TRUE(config::assign(model::descriptor<model::Gpu>(), reinterpret_cast<std::byte*>(&gpu), "name",
                               quoted(given, NotUtf8::latin1)));
    const std::string character =
        byte < 0x80 ? std::string{static_cast<char>(byte)}
                    : std::string{static_cast<char>(0xC0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3F))};
    EXPECT_EQ(gpu.name->view(), "a" + character + "b") << byte;
  }
}

TEST(Quoting, Unquoted) {
  EXPECT_EQ(unquoted("\"a b\""), "a b");
  EXPECT_EQ(unquoted("a b"), "a b");
  EXPECT_EQ(unquoted("\""), "\"");
}

TEST(Numbers, AloneOrBeforeTheirUnit) {
  EXPECT_EQ(number_of<std::uint32_t>("12"), 12u);
  EXPECT_EQ(number_of<std::uint32_t>("ff", 16), 255u);
  EXPECT_EQ(number_of<double>("0.5"), 0.5);
  for (const auto* wrong : {"", "x", "12 ", "-1", "+1", "4294967296", "12s"})
    EXPECT_EQ(number_of<std::uint32_t>(wrong), std::nullopt) << wrong;
  std::string_view unit;
  EXPECT_EQ(number_before<std::uint64_t>("512MiB", unit), 512u);
  EXPECT_EQ(unit, "MiB");
  EXPECT_EQ(hex(0x1F), "0x1f");
}

TEST(Scalars, AreWrittenAsTheyAreRead) {
  const std::pair<const char*, const char*> kValues[] = {{"multi_gpu_board", "true"},
                                                         {"minor_number", "4294967295"},
                                                         {"memory.total_bytes", "18446744073709551615"},
                                                         {"thermal.temperature_gpu_c", "-60"},
                                                         {"failure.seed", "9223372036854775807"},
                                                         {"pdi", "0xffffffffffffffff"},
                                                         {"pci.device_id", "0x20b010de"},
                                                         {"mma_stall_percent", "100000"},
                                                         {"mma_stall_percent", "0.0001"},
                                                         {"mma_stall_percent", "1e-05"},
                                                         {"mma_stall_percent", "1e+16"},
                                                         {"name", "\"a \\\" b\""},
                                                         {"pci.bus_id", "\"0001:02:03.0\""},
                                                         {"performance_state", "P8"}};
  for (const auto& [path, yaml] : kValues) {
    model::Gpu gpu{};
    const auto& type = model::descriptor<model::Gpu>();
    auto* bytes = reinterpret_cast<std::byte*>(&gpu);
    ASSERT_TRUE(config::assign(type, bytes, path, yaml)) << path;
    const auto found = find_field(type, path, bytes);
    const auto part = part_of(*found.field, found.structure);
    ASSERT_EQ(part.form, Form::scalar) << path;
    EXPECT_EQ(yaml_of(*part.field, scalar_at(*part.field, part.at)), yaml) << path;
  }
}

TEST(Scalars, AnEnumWithoutAWordIsItsNumber) {
  const auto& field = gpu_field("architecture");
  const std::uint32_t unknown = 12345;
  const auto scalar = scalar_at(field, reinterpret_cast<const std::byte*>(&unknown));
  EXPECT_EQ(std::get<std::uint64_t>(scalar), unknown);
  EXPECT_EQ(yaml_of(field, scalar), "N/A");
  EXPECT_EQ(word_of(field, unknown), "");
}

TEST(Paths, ProblemsNameTheStepThatLeadsNowhere) {
  const auto& gpu = model::descriptor<model::Gpu>();
  const auto problem = [&](std::string_view path) { return text_of(locate(gpu, path).error()); };
  EXPECT_EQ(locate(gpu, "power.limit_mw")->field, gpu.find("power")->nested().find("limit_mw"));
  EXPECT_EQ(problem("power.limit"), "unknown name 'limit' in 'power.limit'; did you mean 'limit_mw'?");
  EXPECT_EQ(problem("uuid.first"), "'uuid' has no parts, so there is no 'uuid.first'");
  EXPECT_EQ(problem("processes.pid"), "'processes' has no parts, so there is no 'processes.pid'");
  EXPECT_FALSE(locate(gpu, "index")) << "a key of the reader alone";
  EXPECT_TRUE(find_field(gpu, "index"));
  EXPECT_FALSE(find_field(gpu, "processes.pid"));
}

TEST(Flow, ListsAndMappings) {
  FlowList list;
  EXPECT_EQ(list.yaml(), "[]");
  FlowMap map;
  EXPECT_EQ(map.yaml(), "{}");
  map.add("id", 3);
  map.add("name", quoted("a"));
  list.add(map.yaml());
  list.add(7);
  EXPECT_EQ(list.yaml(), "[{id: 3, name: \"a\"}, 7]");
}

// The fields that a machine file states for each GPU, even if all GPUs agree.
TEST(MachineFile, IdentityStandsWithEachGpu) {
  MachineText machine;
  const std::set<std::string> own = {"uuid",     "serial", "minor_number", "pci.bus_id",
                                     "board_id", "pdi",    "irq_num",      "inforom.checksum"};
  const std::set<std::string> common = {"name", "architecture", "vbios_version"};
  machine.gpus.resize(2);
  for (auto& gpu : machine.gpus) {
    for (const auto& path : own) gpu[path] = "1";
    for (const auto& path : common) gpu[path] = "2";
  }
  const auto yaml = yaml_of(machine);
  const auto times = [&](const std::string& key) {
    std::size_t count = 0;
    for (auto at = yaml.find(key); at != std::string::npos; at = yaml.find(key, at + 1)) ++count;
    return count;
  };
  for (const auto& path : own) EXPECT_EQ(times(" " + path.substr(path.rfind('.') + 1) + ": 1\n"), 2u) << path << yaml;
  for (const auto& path : common) EXPECT_EQ(times(" " + path + ": 2\n"), 1u) << path << yaml;
}

TEST(MachineFile, LongListsBreakBetweenItems) {
  MachineText machine;
  FlowList list;
  for (int i = 0; i < 9; ++i) {
    FlowMap process;
    process.add("pid", static_cast<std::uint64_t>(i + 1));
    process.add("name", quoted("a, b, \"c, \\"));
    list.add(process.yaml());
  }
  machine.gpus.push_back({{"processes", list.yaml()}});
  const auto yaml = yaml_of(machine);
  std::size_t widest = 0;
  for (std::size_t at = 0, end; at < yaml.size(); at = end + 1) {
    end = yaml.find('\n', at);
    widest = std::max(widest, end - at);
  }
  EXPECT_LE(widest, 118u) << yaml;
  std::string error;
  const auto read = taken(read_machine("written", yaml), error);
  ASSERT_NE(read, nullptr) << error << yaml;
  ASSERT_EQ(read->gpus()[0].processes.size(), 9u);
  for (const auto& process : read->gpus()[0].processes) EXPECT_EQ(process.name->view(), "a, b, \"c, \\");
}

}  // namespace
}  // namespace nvmlkit::sim::text
