// What cannot be read: the file, the line, and what was expected there.
#include "support.hpp"

namespace nvmlkit::recording {
namespace {

struct Refused {
  const char* text;
  const char* begins;  // the message
  const char* contains;
};

class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameTheLineAndWhatWasExpected) {
  const auto [text, begins, contains] = GetParam();
  const auto message = refusal_of(text);
  EXPECT_TRUE(message.starts_with(begins)) << message;
  EXPECT_NE(message.find(contains), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Refusals,
    testing::Values(
        Refused{"", "r:1: expected JSON or text of Prometheus", "docs/guides/replay.md"},
        Refused{"hello\nworld\n", "r:1: expected JSON or text of Prometheus", "nvidia-smi dmon"},
        Refused{"{\"data\": [1,\n2,,]}", "r:2", "expected JSON"},
        Refused{"{\"status\":\"error\",\"error\":\"query timed out\"}", "r: Prometheus refused", "query timed out"},
        Refused{"{\"status\":\"success\",\"data\":{\"result\":[]}}", "r: no series", "query_range"},
        Refused{R"({"data":{"result":[{"metric":{"__name__":"DCGM_FI_DEV_GPU_TEMP","gpu":"0"},"values":[[1]]}]}})",
                "r: series 1, 'DCGM_FI_DEV_GPU_TEMP': expected [TIME, \"VALUE\"]", "[1]"},
        Refused{R"({"data":{"result":[{"metric":{"__name__":"up"},"values":[[1,"1"]]}]}})",
                "r: an answer of Prometheus without a value", "list of names"},
        Refused{"DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 50 1\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0} 50 1\n", "r:2: expected NAME",
                "gpu="},
        Refused{"DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} hot 1\n", "r:1: expected a number", "hot"},
        Refused{"DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 50 1x\n", "r:1: expected a time", "1x"},
        Refused{"# gpu    pwr\n# Idx      W\n    0     50     40\n", "r:3: expected 2 columns", "0     50"},
        Refused{"# gpu    pwr\n    x     50\n", "r:2: expected the index of a GPU", "x"},
        Refused{"# gpu    pwr\n    0     hot\n", "r:2: expected a number or - in column pwr", "hot"},
        Refused{"#Date Time gpu pwr\n 20261323 17:45:09 0 50\n", "r:2: expected a date", "20261323"},
        Refused{"#Entity  GPUTL\nGPU x  50\n", "r:2: expected GPU and its index", "GPU x"},
        Refused{"#Entity  GPUTL\nGPU 0  busy\n", "r:2: expected a number or N/A in column GPUTL", "busy"},
        Refused{"index, power.draw [W]\n0, 50 W\n0\n", "r:3: expected 2 columns", "'0'"},
        Refused{"timestamp, power.draw [W]\nnow, 50 W\n", "r:2: expected a time such as 2026/11/23", "now"},
        Refused{"index, power.draw [W]\n0, hot\n", "r:2: expected a number or [N/A] in column power.draw", "hot"},
        Refused{"\x1F\x8B garbage", "r: the gzip data are broken", "gzip -d"}),
    [](const auto& at) { return std::to_string(at.index); });

TEST(Hosts, AreChosen) {
  const auto* text =
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",Hostname=\"a\"} 50 1\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\",Hostname=\"b\"} 60 1\n";
  auto none = read_text(text);
  const auto problem = keep_host(none, "");
  ASSERT_FALSE(problem);
  EXPECT_NE(sim::text_of(problem.error()).find("2 hosts"), std::string::npos);
  EXPECT_FALSE(keep_host(none, "c"));
  ASSERT_TRUE(keep_host(none, "b"));
  ASSERT_EQ(none.gpus.size(), 1U);
  EXPECT_EQ(value_at(none, 0, Quantity::gpu_temperature, 1000), 60);
}

TEST(Places, ByUuidAddressOrIndex) {
  const auto machine = make_machine("h100", 4);
  const auto uuid = std::string(machine->gpus()[2].uuid->view());
  EXPECT_EQ(places_on(read_text("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"" + uuid + "\"} 50 1\n"), *machine)->at(0), 2U);
  EXPECT_EQ(places_on(read_text("DCGM_FI_DEV_GPU_TEMP{gpu=\"1\",UUID=\"GPU-x\"} 50 1\n"), *machine)->at(0), 1U);
  char buffer[24];
  const std::string address(sim::model::format_pci_bus_id(*machine->gpus()[3].pci.bus_id, 4, buffer));
  EXPECT_EQ(places_on(read_text("[1.0] NVRM: Xid (PCI:" + address.substr(0, 10) + "): 79, x\n"), *machine)->at(0), 3U);
  EXPECT_EQ(places_on(read_text("[1.0] NVRM: Xid (PCI:00ff:01:00): 79, x\n"), *machine)->at(0), 0U);
  const auto problem = places_on(read_text("DCGM_FI_DEV_GPU_TEMP{gpu=\"7\",modelName=\"NVIDIA X\"} 50 1\n"), *machine);
  ASSERT_FALSE(problem);
  const auto message = sim::text_of(problem.error());
  EXPECT_NE(message.find("-n 8"), std::string::npos) << message;
  EXPECT_NE(message.find("NVIDIA X"), std::string::npos) << message;
}

}  // namespace
}  // namespace nvmlkit::recording
