// What instructions need of their module: its .version of PTX and its .target.
#include <gtest/gtest.h>

#include <string>

#include "ptx/module.hpp"
#include "ptx/parse/error_text.hpp"

namespace nvmlkit::cuda_test {
namespace {

std::string module_of(const std::string& version, const std::string& target, const std::string& statement) {
  return ".version " + version + "\n.target " + target +
         "\n.address_size 64\n"
         ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n.reg .b16 %h<4>;\n.reg .f64 %d<4>;\n"
         ".reg .b64 %rd<4>;\n" +
         statement + "\nret;\n}\n";
}

// The refusal, or nothing.
std::string refusal(const std::string& text) {
  try {
    ptx::load(text);
    return "";
  } catch (const ptx::Error& e) {
    return "line " + std::to_string(e.line) + ": " + text_of(e);
  }
}

std::string refusal(const std::string& version, const std::string& target, const std::string& statement) {
  return refusal(module_of(version, target, statement));
}

TEST(PtxNeeds, AnOldVersionIsRefusedWithTheLine) {
  EXPECT_EQ(refusal("6.0", "sm_80", "redux.sync.add.s32 %r1, %r2, %r3;"),
            "line 11: redux.sync.add.s32: requires PTX ISA .version 7.0 or later");
  EXPECT_EQ(refusal("7.0", "sm_80", "redux.sync.add.s32 %r1, %r2, %r3;"), "");
}

TEST(PtxNeeds, ASmallTargetIsRefusedWithTheLine) {
  EXPECT_EQ(refusal("7.0", "sm_75", "redux.sync.add.s32 %r1, %r2, %r3;"),
            "line 11: redux.sync.add.s32: requires .target sm_80 or higher");
  EXPECT_EQ(refusal("8.8", "sm_120", "redux.sync.add.s32 %r1, %r2, %r3;"), "");
}

TEST(PtxNeeds, WordsAndTypesNeedMoreThanTheInstruction) {
  EXPECT_EQ(refusal("4.0", "sm_30", "add.f32 %f1, %f2, %f3;"), "");
  EXPECT_EQ(refusal("4.2", "sm_53", "add.f16 %h1, %h2, %h3;"), "");
  EXPECT_EQ(refusal("7.8", "sm_80", "add.rn.bf16 %h1, %h2, %h3;"),
            "line 11: add.rn.bf16: requires .target sm_90 or higher");
  EXPECT_EQ(refusal("5.0", "sm_50", "atom.global.add.f64 %d1, [%rd1], %d2;"),
            "line 11: atom.global.add.f64: requires .target sm_60 or higher");
  EXPECT_EQ(refusal("5.0", "sm_50", "atom.global.add.u32 %r1, [%rd1], %r2;"), "");
}

TEST(PtxNeeds, SomeNeedOneArchitectureAndNoOther) {
  EXPECT_EQ(refusal("8.0", "sm_90", "wgmma.fence.sync.aligned;"),
            "line 11: wgmma.fence.sync.aligned: requires .target sm_90a");
  EXPECT_EQ(refusal("8.6", "sm_100a", "wgmma.fence.sync.aligned;"),
            "line 11: wgmma.fence.sync.aligned: requires .target sm_90a");
  EXPECT_EQ(refusal("8.0", "sm_90a", "wgmma.fence.sync.aligned;"), "");
}

TEST(PtxNeeds, EachOfSeveralModulesHasItsOwn) {
  const auto old = module_of("6.0", "sm_70", "nanosleep.u32 %r1;");
  auto newer = module_of("7.0", "sm_80", "redux.sync.add.s32 %r1, %r2, %r3;");
  newer.replace(newer.find("entry k"), 7, "entry n");
  EXPECT_NE(refusal(old + "\f" + newer).find("nanosleep.u32: requires PTX ISA .version 6.2 or later"),
            std::string::npos);
  const auto right = module_of("6.2", "sm_70", "nanosleep.u32 %r1;");
  EXPECT_EQ(refusal(right + "\f" + newer), "");
}

}  // namespace
}  // namespace nvmlkit::cuda_test
