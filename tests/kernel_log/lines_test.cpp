// The message of each event, as reports of real machines show it (docs/guides/faults.md names them).
#include "kernel_log/lines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "../taken.hpp"
#include "kernel_log/follower.hpp"
#include "sim/config/load.hpp"
#include "sim/events/messages.hpp"
#include "sim/events/ring.hpp"
#include "sim/generated/sxids.hpp"
#include "sim/generated/xids.hpp"
#include "sim/processes/clients.hpp"
#include "sim/steering/fault.hpp"
#include "sim/transaction/change.hpp"
#include "sim/transaction/client.hpp"

namespace nvmlkit::kernel_log {
namespace {

using namespace sim;
using Lines = std::vector<std::string>;

class KernelLog : public testing::Test {
 protected:
  void make(const std::string& name, const std::string& driver) {
    std::string error;
    machine = taken(load_machine({{"NVMLKIT_MACHINE", name}, {"NVMLKIT_DRIVER", driver}}), error);
    ASSERT_NE(machine, nullptr) << error;
  }

  // The lines that a fault writes.
  Lines lines_of(const std::string& fault) {
    Follower follower(*machine, end_of(*machine));
    std::istringstream in(fault);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    EXPECT_EQ(text_of(steering::inject(*machine, words)), "") << fault;
    Lines out;
    for (const auto& record : follower.take()) out.push_back(record.text);
    return out;
  }

  std::unique_ptr<Machine> machine;
};

TEST_F(KernelLog, ALostGpu) {
  make("h100", "580.105.08");
  EXPECT_EQ(lines_of("gpu=0 xid 79"),
            (Lines{"NVRM: GPU at PCI:0000:53:00: " + std::string(machine->gpus()[0].uuid->view()),
                   "NVRM: GPU Board Serial Number: 1650210000001",
                   "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus.",
                   "NVRM: GPU 0000:53:00.0: GPU has fallen off the bus.",
                   "NVRM: GPU 0000:53:00.0: GPU serial number is 1650210000001.",
                   "NVRM: Xid (PCI:0000:53:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot "
                   "Required)"}));
  EXPECT_EQ(lines_of("gpu=0 xid 79"), Lines{"NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus."});
}

TEST_F(KernelLog, AGpuIsLostWithoutAnXid) {
  make("h100", "580.105.08");
  const auto lines = lines_of("gpu=1 off-bus");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "NVRM: GPU 0000:64:00.0: GPU has fallen off the bus.");
}

TEST_F(KernelLog, AProcessThatIsNotKnown) {
  make("h100", "550.163.01");
  EXPECT_EQ(lines_of("gpu=0 xid 79").at(2),
            "NVRM: Xid (PCI:0000:53:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.");
  make("h100", "570.133.20");
  EXPECT_EQ(lines_of("gpu=0 xid 79").at(2), "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus.");
}

TEST_F(KernelLog, TheProcessOfTheGpu) {
  make("h100", "580.105.08");
  const auto self = transaction::this_process();
  ASSERT_EQ(self.pid, static_cast<std::uint32_t>(getpid()));
  ASSERT_NE(self.name[0], '\0');
  ASSERT_EQ(processes::attach(*machine, 2, {.pid = self.pid}), processes::Outcome::done);
  const auto who = "pid=" + std::to_string(self.pid) + ", name=" + self.name + ", ";
  EXPECT_EQ(lines_of("gpu=2 xid 43").back(), "NVRM: Xid (PCI:0000:75:00): 43, " + who + "Ch 00000008");
  EXPECT_EQ(lines_of("gpu=3 xid 43").back(), "NVRM: Xid (PCI:0000:86:00): 43, Ch 00000008");
}

TEST_F(KernelLog, RecoveryActionsByBranch) {
  make("h100", "550.163.01");
  EXPECT_EQ(lines_of("gpu=0 recovery reset"), Lines{});
  make("h100", "565.57.01");
  EXPECT_EQ(
      lines_of("gpu=0 recovery reset"),
      Lines{"NVRM: Xid (PCI:0000:53:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 "
            "(None) to 0x1 (GPU Reset Required)"});
  make("h100", "610.57.04");
  EXPECT_EQ(lines_of("gpu=0 recovery reboot"),
            Lines{"NVRM: Xid (PCI:0000:53:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (OS Reboot)"});
}

TEST_F(KernelLog, AnUncorrectedErrorOfMemory) {
  make("h100", "580.105.08");
  const auto lines = lines_of("gpu=0 ecc dram uncorrected");
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(
      lines[2].starts_with("NVRM: Xid (PCI:0000:53:00): 48, An uncorrectable double bit error (DBE) has been "
                           "detected on GPU in the framebuffer at physAddr 0x"))
      << lines[2];
  EXPECT_TRUE(lines[3].starts_with("NVRM: Xid (PCI:0000:53:00): 63, Row Remapper: New row (0x")) << lines[3];
  EXPECT_TRUE(lines[3].ends_with(") marked for remapping, reset gpu to activate.")) << lines[3];
  EXPECT_TRUE(lines[4].starts_with("NVRM: Xid (PCI:0000:53:00): 94, Contained: ")) << lines[4];
  EXPECT_TRUE(lines[5].ends_with("from 0x0 (None) to 0x4 (Drain and Reset)")) << lines[5];
  EXPECT_EQ(lines_of("gpu=1 ecc dram corrected"), Lines{});
}

TEST_F(KernelLog, LinksAndTheSwitchesBehindThem) {
  make("dgx-h100", "580.105.08");
  auto lines = lines_of("gpu=0 nvlink 17 down");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines[2].find("): 74, NVLink: fatal error detected on link 17("), std::string::npos) << lines[2];
  const auto& end = machine->gpus()[0].links.links[17];
  EXPECT_EQ(lines[3], "nvidia-nvswitch3: SXid (PCI:0000:08:00.0): 20034, Fatal, Link 0" +
                          std::to_string(end.remote_link) + " LTSSM Fault Up");
  lines = lines_of("gpu=0 nvlink 0 errors");
  EXPECT_EQ(lines.back(), "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20009, Non-fatal, Link 00 RX Short Error Rate");
  EXPECT_EQ(lines_of("nvswitch=2 sxid 12028 32"),
            Lines{"nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error"});
}

TEST_F(KernelLog, EverySxid) {
  make("dgx-h100", "580.105.08");
  for (const auto& sxid : faults::sxids) {
    const auto lines = lines_of("nvswitch=0 sxid " + std::to_string(sxid.number));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find(sxid.fatal ? ", Fatal, Link 00 " : ", Non-fatal, Link 00 "), std::string::npos) << lines[0];
  }
}

TEST_F(KernelLog, EveryXidHasItsTextAndNoPlaceholder) {
  make("b200", "580.105.08");
  for (const auto& xid : faults::xids) {
    if (xid.effect == faults::XidEffect::double_bit) continue;
    (void)steering::heal(*machine, Lines{"gpu=0"});
    bool found = false;
    for (const auto& line : lines_of("gpu=0 xid " + std::to_string(xid.number))) {
      found = found || line.find("): " + std::to_string(xid.number) + ", ") != std::string::npos;
      EXPECT_EQ(line.find('{'), std::string::npos) << line;
      EXPECT_NE(line.back(), ' ') << line;
    }
    EXPECT_TRUE(found) << xid.number;
  }
}

TEST_F(KernelLog, ClientsOfAnotherVersion) {
  make("h100", "580.105.08");
  const auto publish = [&] {
    events::publish(machine->events(), events::kNoGpu,
                    {events::kLogged, events::data_of(events::Message::api_mismatch, 0), 0, 0}, {4711, "nvidia-smi"});
  };
  Follower follower(*machine);
  publish();
  EXPECT_EQ(follower.take().at(0).text,
            "NVRM: API mismatch: the client 'nvidia-smi' (pid 4711)\nNVRM: has the version 580.105.09, but this kernel "
            "module has\nNVRM: the version 580.105.08.  Please make sure that this\nNVRM: kernel module and all NVIDIA "
            "driver components\nNVRM: have the same version.");
  make("h100", "550.163.01");
  Follower older(*machine);
  publish();
  EXPECT_TRUE(older.take().at(0).text.starts_with(
      "NVRM: API mismatch: the client has the version 550.163.02, but\nNVRM: this kernel module has the version "
      "550.163.01.  Please\n"));
}

TEST_F(KernelLog, TheNameOfTheModule) {
#ifdef __aarch64__
  const std::string processor = "aarch64";
#else
  const std::string processor = "x86_64";
#endif
  make("h100", "580.105.08");
  EXPECT_TRUE(module_identity(*machine).starts_with("NVIDIA UNIX " + processor + " Kernel Module  580.105.08  "));
  make("b200", "580.105.08");
  EXPECT_TRUE(module_identity(*machine).starts_with("NVIDIA UNIX Open Kernel Module for " + processor +
                                                    "  580.105.08  Release"));
  for (const auto* grace : {"gh200", "gb200", "gb300", "vr200", "thor"}) {
    make(grace, "580.105.08");
    EXPECT_TRUE(module_identity(*machine).starts_with("NVIDIA UNIX Open Kernel Module for aarch64  580.105.08  "))
        << grace;
  }
}

TEST_F(KernelLog, NumbersAndPlaces) {
  make("h100", "580.105.08");
  (void)lines_of("gpu=0 xid 13");
  Follower first(*machine);
  const auto records = first.take();
  ASSERT_EQ(records.size(), 3U);
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].sequence, i);
  EXPECT_TRUE(first.take().empty());
  (void)lines_of("gpu=0 event clock");  // no message, and no gap
  Follower second(*machine, first.place());
  (void)lines_of("gpu=0 xid 13");
  const auto later = second.take();
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].sequence, 3U);
  EXPECT_GE(later[0].uptime_us, records[0].uptime_us);
}

}  // namespace
}  // namespace nvmlkit::kernel_log
