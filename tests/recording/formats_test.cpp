// Each format of a recording: what is read of it, in the units of the model.
#include <zlib.h>

#include "recording/gunzip.hpp"
#include "support.hpp"

namespace nvmlkit::recording {
namespace {

using Q = Quantity;

constexpr std::int64_t kMonday = 1795455909000;  // 2026-11-23 17:45:09 UTC

TEST(Formats, RangeQueryOfPrometheus) {
  const auto read = read_text(R"({"status":"success","data":{"resultType":"matrix","result":[
    {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"3","UUID":"GPU-a","Hostname":"n1","modelName":"X"},
     "values":[[1795455909,"312.5"],[1795455939.25,"NaN"],[1795455969,"320"]]},
    {"metric":{"__name__":"DCGM_FI_DEV_FB_USED","gpu":"3","UUID":"GPU-a","Hostname":"n1"},"values":[[1795455909,"2"]]},
    {"metric":{"__name__":"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE","gpu":"3","UUID":"GPU-a"},"values":[[1795455909,"1"]]},
    {"metric":{"__name__":"up","instance":"a"},"values":[[1795455909,"1"]]}]}})");
  ASSERT_EQ(read.gpus.size(), 1U);
  EXPECT_EQ(read.gpus[0].index, 3U);
  EXPECT_EQ(read.gpus[0].host, "n1");
  EXPECT_TRUE(read.dated);
  EXPECT_EQ(read.samples.size(), 3U) << "NaN is no sample";
  EXPECT_EQ(value_at(read, 0, Q::power_draw, kMonday), 312500);
  EXPECT_EQ(value_at(read, 0, Q::memory_used, kMonday), 2 << 20);
  EXPECT_EQ(read.not_replayed.at("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"), 1U);
}

TEST(Formats, BlockThatPromtoolPrints) {
  const auto* lines =
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-a\",modelName=\"a \\\"b\\\" {c}\"} 61 1795455909.000\n"
      "{__name__=\"DCGM_FI_DEV_GPU_TEMP\", UUID=\"GPU-a\", gpu=\"0\"} 62 1795455939000\n"
      "# EOF\n";
  const auto read = read_text(lines);
  EXPECT_EQ(value_at(read, 0, Q::gpu_temperature, kMonday), 61);
  EXPECT_EQ(value_at(read, 0, Q::gpu_temperature, kMonday + 30'000), 62);
  EXPECT_EQ(read.gpus[0].model, "a \"b\" {c}");
}

TEST(Formats, ScrapesWithoutTimesFollowOneAnother) {
  const std::string scrape =
      "# HELP nvidia_smi_power_draw_watts power.draw [W]\n"
      "nvidia_smi_gpu_info{index=\"1\",uuid=\"df6e7a7c-7314-46f8-abc4-b88b36dcf3aa\"} 1\n"
      "nvidia_smi_power_draw_watts{uuid=\"df6e7a7c-7314-46f8-abc4-b88b36dcf3aa\"} 28.07\n"
      "nvidia_smi_utilization_gpu_ratio{uuid=\"df6e7a7c-7314-46f8-abc4-b88b36dcf3aa\"} 0.97\n"
      "nvidia_smi_clocks_current_sm_clock_hz{uuid=\"df6e7a7c-7314-46f8-abc4-b88b36dcf3aa\"} 6e+06\n";
  const auto read = read_text(scrape + scrape, {15'000});
  ASSERT_EQ(read.gpus.size(), 1U);
  EXPECT_EQ(read.gpus[0].index, 1U);
  EXPECT_EQ(read.gpus[0].uuid, "GPU-df6e7a7c-7314-46f8-abc4-b88b36dcf3aa");
  EXPECT_EQ(value_at(read, 0, Q::power_draw, 15'000), 28070);
  EXPECT_EQ(value_at(read, 0, Q::gpu_load, 0), 97);
  EXPECT_EQ(value_at(read, 0, Q::sm_clock, 0), 6);
  EXPECT_FALSE(read.dated);
}

TEST(Formats, MonitorOfDcgm) {
  const auto read = read_text(
      "#Entity   GPUTL   POWER     TENSO   FBUSD\n"
      "ID                                       \n"
      "GPU 0     97      312.402   0.500   1024 \n"
      "GPU 1     3       70.100    N/A     0    \n"
      "GPU-I 4   50      N/A       N/A     N/A  \n"
      "#Entity   GPUTL   POWER     TENSO   FBUSD\n"
      "ID                                       \n"
      "GPU 0             300.000           1024 \n"
      "GPU 1     4       71.000    0.100   0    \n",
      {500});
  EXPECT_EQ(value_at(read, 0, Q::gpu_load, 0), 97);
  EXPECT_EQ(value_at(read, 1, Q::power_draw, 500), 71000);
  EXPECT_EQ(value_at(read, 0, Q::gpu_load, 500), -1) << "an empty cell is no sample";
  EXPECT_EQ(value_at(read, 0, Q::power_draw, 500), 300000);
  EXPECT_EQ(value_at(read, 0, Q::memory_used, 0), 1024.0 * 1048576);
  EXPECT_TRUE(read.not_replayed.contains("dcgmi dmon TENSO"));
}

TEST(Formats, MonitorOfNvidiaSmi) {
  const auto read = read_text(
      "#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk  pviol\n"
      "#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz      %\n"
      " 20261123   17:45:09      0    512     61      -     97     60   2619   1980      0\n"
      " 20261123   17:45:09      1     70     33      -      0      0   2619    345      0\n");
  EXPECT_EQ(value_at(read, 0, Q::power_draw, kMonday), 512000);
  EXPECT_EQ(value_at(read, 1, Q::sm_clock, kMonday), 345);
  EXPECT_EQ(value_at(read, 0, Q::memory_temperature, kMonday), -1);
  const auto plain = read_text(
      "# gpu    pwr  gtemp\n# Idx      W      C\n    0     50     40\n    1     51     41\n"
      "    0     52     42\n");
  EXPECT_EQ(value_at(plain, 0, Q::gpu_temperature, 1000), 42);
  const auto csv = read_text("#Time, gpu, pwr, sm\n#HH:MM:SS, Idx, W, %\n23:59:59, 0, 50, 10\n00:00:01, 0, 60, 20\n");
  ASSERT_EQ(csv.samples.size(), 4U);
  EXPECT_EQ(csv.samples.back().at_ms - csv.samples.front().at_ms, 2000) << "over midnight";
}

TEST(Formats, QueryOfNvidiaSmi) {
  const auto read = read_text(
      "timestamp, index, uuid, name, power.draw [W], utilization.gpu [%], memory.used [MiB], pstate, "
      "clocks_event_reasons.active, remapped_rows.pending, temperature.memory, mig.mode.current\n"
      "2026/11/23 17:45:09.000, 2, GPU-b, NVIDIA H100 80GB HBM3, 312.50 W, 97 %, 1024 MiB, P0, 0x0000000000000004, "
      "Yes, N/A, Disabled\n");
  EXPECT_EQ(read.gpus[0].index, 2U);
  EXPECT_EQ(read.gpus[0].model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(value_at(read, 0, Q::power_draw, kMonday), 312500);
  EXPECT_EQ(value_at(read, 0, Q::memory_used, kMonday), 1024.0 * 1048576);
  EXPECT_EQ(value_at(read, 0, Q::performance_state, kMonday), 0);
  EXPECT_EQ(value_at(read, 0, Q::event_reasons, kMonday), 4);
  EXPECT_EQ(value_at(read, 0, Q::rows_pending, kMonday), 1);
  EXPECT_EQ(read.samples.size(), 6U);
}

TEST(Formats, KernelLogs) {
  const auto iso = read_text(
      "2026-11-23T18:45:09,000000+01:00 node kernel: NVRM: GPU at PCI:0000:3b:00: GPU-c\n"
      "2026-11-23T18:45:09,000000+01:00 node kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, "
      "GPU has fallen off the bus.\n");
  ASSERT_EQ(iso.xids.size(), 1U);
  EXPECT_EQ(iso.xids[0].number, 79U);
  EXPECT_EQ(iso.xids[0].at_ms, kMonday);
  EXPECT_EQ(iso.gpus[0].uuid, "GPU-c");
  for (const auto* line :
       {"[   12.500000] NVRM: Xid (PCI:0000:3b:00): 31, pid=1", "4,77,12500000,-;NVRM: Xid (0000:3b:00): 31, x"}) {
    const auto read = read_text(line);
    ASSERT_EQ(read.xids.size(), 1U) << line;
    EXPECT_EQ(read.xids[0].at_ms, 12500) << line;
    EXPECT_FALSE(read.dated);
  }
  const auto ctime = read_text("[Mon Nov 23 17:45:09 2026] NVRM: Xid (PCI:0000:3b:00): 13, pid=1\n");
  EXPECT_EQ(ctime.xids.at(0).at_ms, kMonday);
  const auto syslog = read_text(
      "Nov 23 17:45:09 n kernel: NVRM: Xid (PCI:0000:3b:00): 13, x\n"
      "Nov 23 17:45:11 n kernel: NVRM: Xid (PCI:0000:3c:00): 13, x\n");
  EXPECT_EQ(syslog.xids.at(1).at_ms - syslog.xids.at(0).at_ms, 2000);
}

TEST(Formats, ALogWithoutDatesBeginsWithTheRecording) {
  Recording all;
  ASSERT_TRUE(read("m", "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",pci_bus_id=\"00000000:3b:00.0\"} 61 1795455909\n", {}, all));
  ASSERT_TRUE(
      read("k", "[  100.0] NVRM: Xid (PCI:0000:3b:00): 79, x\n[  105.0] NVRM: Xid (PCI:0000:3b:00): 31, x\n", {}, all));
  put_in_order(all);
  EXPECT_EQ(all.gpus.size(), 1U) << "the address is the same";
  EXPECT_EQ(all.xids.at(0).at_ms, kMonday);
  EXPECT_EQ(all.xids.at(1).at_ms, kMonday + 5000);
}

constexpr const char* kReport =
    "____________________________________________\n"
    "Start of NVIDIA bug report log file.\n"
    "==============NVSMI LOG==============\n"
    "\n"
    "Timestamp                                 : Mon Nov 23 17:45:09 2026\n"
    "Driver Version                            : 550.90.07\n"
    "CUDA Version                              : 12.4\n"
    "\n"
    "Attached GPUs                             : 1\n"
    "GPU 00000000:3B:00.0\n"
    "    Product Name                          : NVIDIA H100 80GB HBM3\n"
    "    GPU UUID                              : GPU-2f3c1a0f-8bde-bf9d-360c-50d9c13ebe88\n"
    "    Performance State                     : P0\n"
    "    FB Memory Usage\n"
    "        Total                             : 81559 MiB\n"
    "        Used                              : 1024 MiB\n"
    "    Utilization\n"
    "        Gpu                               : 97 %\n"
    "    Temperature\n"
    "        GPU Current Temp                  : 61 C\n"
    "\n"
    "*** dmesg\n"
    "[   12.500000] NVRM: Xid (PCI:0000:3b:00): 48, pid=1\n";

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Formats, BugReports) {
  for (const auto& text : {std::string(kReport), gzip(kReport), gzip("") + gzip(kReport)}) {
    const auto read = read_text(text);
    ASSERT_EQ(read.gpus.size(), 1U);
    EXPECT_EQ(read.gpus[0].uuid, "GPU-2f3c1a0f-8bde-bf9d-360c-50d9c13ebe88");
    EXPECT_EQ(value_at(read, 0, Q::gpu_load, kMonday), 97);
    EXPECT_EQ(value_at(read, 0, Q::gpu_temperature, kMonday), 61);
    EXPECT_EQ(value_at(read, 0, Q::memory_used, kMonday), 1024.0 * 1048576);
    ASSERT_EQ(read.xids.size(), 1U);
    EXPECT_EQ(read.xids[0].number, 48U);
  }
}

TEST(Formats, BrokenArchives) {
  const auto whole = gzip(kReport);
  EXPECT_NE(refusal_of(whole.substr(0, whole.size() / 2)).find("broken or cut"), std::string::npos);
  EXPECT_NE(refusal_of(gzip(gzip(kReport))).find("twice"), std::string::npos);
}

}  // namespace
}  // namespace nvmlkit::recording
