// MIG in words: what a command does, why it is refused, what takes it back.
#include "tenants_support.hpp"

namespace nvmlkit::sim::steering {
namespace {

class TenantsOfA100 : public Tenants {
 protected:
  TenantsOfA100() : Tenants("a100") {}
};

class TenantsOfT4 : public Tenants {
 protected:
  TenantsOfT4() : Tenants("t4") {}
};

TEST_F(Tenants, InstancesAreMadeWhereTheDriverPutsThem) {
  good("mig enable gpu=0");
  good("mig create gpu=0 3g.40gb,14,1g.10gb");
  EXPECT_EQ(instances(), (std::vector<std::uint32_t>{2, 3, 9})) << "as nvidia-smi mig -cgi 9,14,19 makes them";
  EXPECT_EQ(gpu().mig.instances.span()[0].compute_instances.count, 1U);
  good("mig create gpu=0 1g.10gb:3 --bare");
  EXPECT_EQ(instances(), (std::vector<std::uint32_t>{2, 3, 9, 10}));
  EXPECT_EQ(gpu().mig.instances.span()[3].compute_instances.count, 0U);
  good("mig create gpu=0 0 --gi 10");
  EXPECT_EQ(gpu().mig.instances.span()[3].compute_instances.count, 1U);
  good("mig destroy gpu=0 10 --ci 0");
  good("mig destroy gpu=0 3,10");
  EXPECT_EQ(instances(), (std::vector<std::uint32_t>{2, 9}));
  good("mig clear gpu=0");
  good("mig disable gpu=0");
  EXPECT_FALSE(mig::enabled(gpu()));
  EXPECT_FALSE(mig::enabled(gpu(1)));
}

TEST_F(Tenants, AllOfACommandOrNothing) {
  good("mig enable gpu=all");
  EXPECT_NE(say("mig create gpu=0 3g.40gb,3g.40gb,1g.10gb"), "");
  EXPECT_EQ(instances().size(), 0U);
  good("mig create gpu=1 7g.80gb");
  EXPECT_NE(say("mig create gpu=all 1g.10gb"), "") << "GPU 1 has no room";
  EXPECT_EQ(instances().size(), 0U);
  good("mig create gpu=0 3g.40gb --compute 1c.3g.40gb,2c.3g.40gb");
  good("process start gpu=0 job --gi 2 --ci 1");
  EXPECT_NE(say("mig clear gpu=0"), "");
  EXPECT_EQ(gpu().mig.instances.span()[0].compute_instances.count, 2U);
}

TEST_F(Tenants, ARefusalNamesWhatIsInTheWay) {
  const std::pair<const char*, const char*> off[] = {
      {"mig create gpu=0 1g.10gb", "GPU 0: MIG mode is disabled; nvmlkit mig enable gpu=0"},
      {"process start gpu=0 a --gi 1", "GPU 0: MIG mode is disabled"},
      {"mig", "expected enable, disable, create, destroy or clear after mig"},
      {"mig enabel gpu=0", "unknown verb of mig 'enabel'; did you mean 'enable'?"},
      {"mig enable", "expected the GPUs, for example mig enable gpu=0"},
      {"mig enable gpu=7", "no GPU '7'; the machine has 2"},
      {"mig enable gpu=0 now", "unexpected 'now'"},
      {"mig create gpu=0 1g.10gb --bar", "unknown option '--bar'; did you mean '--bare'?"},
      {"mig create gpu=0 1g.10gb --gi", "expected a value after '--gi'"},
      {"mig create gpu=0 1g.10gb --gi 1 --bare", "exclude each other"},
      {"mig create gpu=0 1g.10gb:x", "expected a slice as the start, got 'x'"},
      {"mig destroy gpu=0 1,1", "GPU instance 1 is there twice"},
      {"mig destroy gpu=0 1,2 --ci 0", "--ci is about one GPU instance"}};
  for (const auto& [line, message] : off) EXPECT_NE(say(line).find(message), std::string::npos) << line << say(line);
  good("mig enable gpu=0");
  good("mig create gpu=0 3g.40gb:4,2g.20gb:0");
  good("process start gpu=0 train.py --gi 2 --memory 2GiB");
  const std::pair<const char*, const char*> on[] = {
      {"mig create gpu=0 1g.10gbb", "GPU 0: unknown profile '1g.10gbb'; did you mean '1g.10gb'?"},
      {"mig create gpu=0 99", "GPU 0: unknown profile '99'"},
      {"mig create gpu=0 4g.40gb", "no room for 4g.40gb; there is room for 2 x 1g.10gb"},
      {"mig create gpu=0 3g.40gb:4", "no room for 3g.40gb at slice 4: GPU instance 2 (3g.40gb) is there"},
      {"mig create gpu=0 3g.40gb:1", "expected one of the memory slices 0, 4 as the start of 3g.40gb, got 1"},
      {"mig create gpu=0 1c.3g.40gb --gi 2", "no room for 1c.3g.40gb in GPU instance 2; nothing is free"},
      {"mig create gpu=0 1c.2g.2gb --gi 3", "unknown compute instance profile '1c.2g.2gb'; did you mean '1c.2g.20gb'?"},
      {"mig destroy gpu=0 12", "no GPU instance 12; the GPU has 2 (3g.40gb), 3 (2g.20gb)"},
      {"mig destroy gpu=0 2 --ci 4", "GPU instance 2 has no compute instance 4; it has 0"},
      {"mig destroy gpu=0 2", "GPU instance 2 is in use by process 4194304 (train.py); end it first"},
      {"process start gpu=0 a", "the GPU is in MIG mode, so the process needs --gi; it has 2 (3g.40gb), 3 (2g.20gb)"},
      {"process start gpu=0 a --gi 5", "no GPU instance 5"},
      {"process start gpu=0 a --gi 2 --memory 60GiB", "38378 MiB of the GPU instance are free"}};
  for (const auto& [line, message] : on)
    EXPECT_NE(say(line).find(message), std::string::npos) << line << ": " << say(line);
}

TEST_F(TenantsOfT4, WithoutMigNothingOfItWorks) {
  EXPECT_EQ(say("mig enable gpu=0"), "GPU 0: the GPU has no MIG");
  EXPECT_EQ(say("mig create gpu=0 1g.10gb"), "GPU 0: the GPU has no MIG");
}

TEST_F(TenantsOfA100, TheModeIsPendingWhileTheGpuIsInUse) {
  good("process start gpu=0 train.py --memory 1GiB");
  good("mig enable gpu=0");
  EXPECT_FALSE(mig::enabled(gpu()));
  EXPECT_EQ(*gpu().mig.mode_pending, model::EnableState::enabled);
  EXPECT_NE(say("mig create gpu=0 1g.5gb").find("MIG mode is pending until the GPU is reset"), std::string::npos);
  good("process end gpu=0 train.py");
  good("mig enable gpu=0");
  EXPECT_TRUE(mig::enabled(gpu()));
}

TEST_F(Tenants, EverythingIsTakenBack) {
  const auto check = [&](const std::vector<std::string>& lines) {
    const auto [before, after] = there_and_back(lines);
    EXPECT_EQ(before, after) << lines[0];
  };
  check({"process start gpu=0,1 a --memory 1GiB --sm 30%", "process start gpu=0 b"});
  check({"mig enable gpu=0", "mig create gpu=0 3g.40gb,2g.20gb", "process start gpu=0 a --gi 2"});
  good("process start gpu=0 kept --memory 3GiB --sm 10% --type M+C --pid 4711");
  good("process start gpu=0 kept --sm 5%");
  check({"process end gpu=0 kept"});
  good("process end gpu=0 kept");
  const std::vector<std::string> configured = {
      "set", "gpu=0", "processes=[{pid: 7, used_memory_mib: 100, name: x}, {pid: 8, name: y}]"};
  ASSERT_TRUE(steer(*machine_, configured));
  check({"process end gpu=0 x"});
  check({"process end gpu=0 all"});
  good("process end gpu=0 all");
  good("mig enable gpu=0");
  good("mig create gpu=0 1g.20gb:2 --compute 1c.1g.20gb");
  good("mig create gpu=0 3g.40gb:4 --compute 1c.3g.40gb:2,1c.3g.40gb:0");
  good("mig create gpu=0 1g.10gb --bare");
  check({"mig clear gpu=0"});
  check({"mig destroy gpu=0 2 --ci 0"});
  check({"mig destroy gpu=0 2", "mig create gpu=0 2g.20gb:4"});
  check({"mig create gpu=0 1c.3g.40gb --gi 2"});
}

}  // namespace
}  // namespace nvmlkit::sim::steering
