// Metrics as text, and the server's address. tests/clients/node_metrics_test.py holds the values against NVML.
#include <gtest/gtest.h>

#include "metrics/exposition.hpp"
#include "metrics/machine_metrics.hpp"
#include "metrics/server.hpp"
#include "sim/config/load.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::metrics {
namespace {

bool has(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(Exposition, EscapesAndLeavesEmptyFamiliesOut) {
  Exposition out;
  out.family("a", "gauge", "Nothing");
  out.family("b", "gauge", "Something");
  out.sample({{"x", "1\"2\\3\n4"}, {"y", ""}}, 0.5);
  out.sample({}, std::uint64_t{18446744073709551615U});
  EXPECT_EQ(out.text(),
            "# HELP b Something\n# TYPE b gauge\nb{x=\"1\\\"2\\\\3\\n4\",y=\"\"} 0.5\nb 18446744073709551615\n");
}

TEST(MachineMetrics, ShowFaultsAndLeaveOutWhatCannotBeReached) {
  auto machine = sim::load_machine({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_GPU_COUNT", "2"}});
  ASSERT_TRUE(machine);
  const std::string words[] = {"fault", "gpu=1", "xid", "79"};
  ASSERT_TRUE(sim::steering::steer(**machine, words));
  EventCounter events;
  events.take(**machine);
  events.take(**machine);
  Exposition out;
  ASSERT_TRUE(add_machine(out, **machine, events));
  const std::string uuid((*machine)->gpus()[1].uuid->view());
  const auto of_gpu = "{gpu=\"1\",uuid=\"" + uuid + "\"";
  EXPECT_TRUE(has(out.text(), "nvmlkit_gpu_healthy" + of_gpu + "} 0"));
  EXPECT_TRUE(has(out.text(), "nvmlkit_gpu_reachable" + of_gpu + "} 0"));
  EXPECT_TRUE(has(out.text(), "nvmlkit_gpu_xid_total" + of_gpu + ",xid=\"79\"} 1")) << out.text();
  EXPECT_TRUE(has(out.text(), "nvmlkit_gpu_fault" + of_gpu + ",fault=\"xid 79\"} 1"));
  EXPECT_EQ(out.text().find("nvmlkit_gpu_power_draw_watts" + of_gpu), std::string::npos);
  EXPECT_NE(out.text().find("nvmlkit_gpu_power_draw_watts{gpu=\"0\""), std::string::npos);
}

TEST(MachineMetrics, EventsAdaptersSwitchesAndCalls) {
  const auto machine = sim::load_machine({{"NVMLKIT_MACHINE", "dgx-h100"}});
  ASSERT_TRUE(machine);
  const std::vector<std::vector<std::string>> commands = {
      {"fault", "gpu=1", "event", "pstate"},
      {"fault", "gpu=1", "ecc", "dram", "corrected"},
      {"fault", "nvswitch=0", "sxid", "12028", "32"},
      {"fault", "nic=mlx5_0", "down"},
      {"fault", "nic=mlx5_1", "errors", "symbol_error", "--count", "9"},
      {"fault", "gpu=2", "slow", "nvmlDeviceGetName", "5ms"},
      {"fault", "machine", "fail", "nvmlDeviceGetName", "TIMEOUT"}};
  for (const auto& words : commands) ASSERT_TRUE(sim::steering::steer(**machine, words)) << words[2];
  EventCounter events;
  events.take(**machine);
  Exposition out;
  ASSERT_TRUE(add_machine(out, **machine, events));
  const std::string uuid((*machine)->gpus()[1].uuid->view());
  const auto of_gpu = "{gpu=\"1\",uuid=\"" + uuid + "\"";
  EXPECT_TRUE(has(out.text(), "nvmlkit_gpu_event_total" + of_gpu + ",event=\"pstate\"} 1")) << out.text();
  EXPECT_TRUE(has(out.text(), "nvmlkit_gpu_event_total" + of_gpu + ",event=\"single-bit-ecc\"} 1"));
  EXPECT_TRUE(has(out.text(), "nvmlkit_nvswitch_sxid_total{sxid=\"12028\"} 1"));
  EXPECT_TRUE(has(out.text(), "nvmlkit_nic_fault{nic=\"mlx5_0\",fault=\"down\"} 1"));
  EXPECT_TRUE(has(out.text(), "nvmlkit_nic_errors_total{nic=\"mlx5_1\",counter=\"symbol_error\"} 9"));
  EXPECT_TRUE(has(out.text(), "nvmlkit_call_fault{of=\"gpu=2\",fault=\"slow nvmlDeviceGetName 5ms\",rule=\"0\"} 1"));
  EXPECT_TRUE(
      has(out.text(), "nvmlkit_call_fault{of=\"machine\",fault=\"fail nvmlDeviceGetName TIMEOUT\",rule=\"1\"} 1"));
  ASSERT_TRUE(sim::steering::steer(**machine, std::vector<std::string>{"heal", "nic=mlx5_0"}));
  Exposition healed;
  ASSERT_TRUE(add_machine(healed, **machine, events));
  EXPECT_EQ(healed.text().find("nvmlkit_nic_fault{"), std::string::npos);
}

TEST(MachineMetrics, AMachineWithoutGpus) {
  auto machine = sim::load_machine({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_GPU_COUNT", "0"}});
  ASSERT_TRUE(machine);
  Exposition out;
  EXPECT_TRUE(add_machine(out, **machine, {}));
  EXPECT_NE(out.text().find("nvmlkit_machine_info{"), std::string::npos);
}

TEST(Endpoint, HasAnAddressAndAPort) {
  const std::pair<const char*, const char*> good[] = {
      {"9411", "127.0.0.1"}, {":9411", "127.0.0.1"}, {"0.0.0.0:9411", "0.0.0.0"}, {"[::]:9411", "::"}};
  for (const auto& [text, address] : good) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(endpoint->address, address);
    EXPECT_EQ(endpoint->port, 9411);
  }
  for (const auto* bad : {"", "x", "1.2.3.4", "host:80", "1.2.3.4:70000", "::1:9411", "[1.2.3.4]:80", "1.2.3.4:"})
    EXPECT_FALSE(parse_endpoint(bad)) << bad;
}

TEST(Server, RefusesAnAddressThatIsNotItsOwn) {
  const auto server = Server::start({"192.0.2.1", 9411}, [] { return std::string(); });
  ASSERT_FALSE(server);
  EXPECT_TRUE(Server::start({"127.0.0.1", 0}, [] { return std::string("x 1\n"); }));
}

}  // namespace
}  // namespace nvmlkit::metrics
