// PTX that the driver refuses, and its words for it: those of an H100 with driver 580.
#include <string>

#include "kernels_support.hpp"

namespace nvmlkit::cuda_test {
namespace {

TEST_F(CudaKernels, AreNotLoadedWithWhatIsUnknown) {
  CUmodule module = nullptr;
  const std::string end = "\nptxas fatal   : Ptx assembly aborted due to errors";
  const auto refusal = [&](std::string text, CUresult expected = CUDA_ERROR_INVALID_PTX) {
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    EXPECT_EQ(driver().cuModuleLoadDataEx(&module, text.c_str(), 2u, options, values), expected);
    return std::string(log);
  };
  std::string text = kScale;
  text.replace(text.find("mad.lo.s32"), 10, "frob.s32  ");
  EXPECT_EQ(refusal(text),
            "ptxas application ptx input, line 16; error   : Not a name of any known instruction: 'frob'" + end);
  text = kScale;
  text.replace(text.find("mad.lo.s32"), 10, "mad.lu.s32");
  EXPECT_EQ(refusal(text).rfind("ptxas application ptx input, line 16; error   : ", 0), 0u);
  text = kScale;
  text.replace(text.find("%r5, 4;"), 3, "%rx");
  EXPECT_EQ(refusal(text),
            "ptxas application ptx input, line 19; error   : Arguments mismatch for instruction 'mul.wide'\n"
            "ptxas application ptx input, line 19; error   : Unknown symbol '%rx'" +
                end);
  text = kScale;
  text.replace(text.find("bra DONE"), 8, "bra AWAY");
  EXPECT_EQ(refusal(text), "ptxas application ptx input, line 18; error   : Unknown symbol 'AWAY'" + end);
  const auto line_18 = [&](const std::string& statement) {
    std::string whole = kScale;
    return refusal(whole.replace(whole.find("bra DONE"), 8, statement));
  };
  const std::string error = "ptxas application ptx input, line 18; error   : ";
  const std::string fatal = "ptxas application ptx input, line 18; fatal   : ";
  EXPECT_EQ(line_18("ld.global.u32 %r1"), error + "Arguments mismatch for instruction 'ld'" + end);
  EXPECT_EQ(line_18("mad.lo.u32 %r1, %rd1, %r1, %r1"), error + "Arguments mismatch for instruction 'mad.lo'" + end);
  EXPECT_EQ(line_18("selp.u32 %r1, %r2, %r3, %r1"), error + "Arguments mismatch for instruction 'selp'" + end);
  EXPECT_EQ(line_18("ld.global.v2.u32 {%r1}, [%rd1]"),
            error + "Argument vector size mismatch for instruction 'ld'" + end);
  EXPECT_EQ(line_18("call away, ()"),
            error + "Call to 'away' requires call prototype\n" + error + "Unknown symbol 'away'" + end);
  EXPECT_EQ(line_18("add.u32 %r1, %r2, 5 .u32"), fatal + "Parsing error near '.u32': syntax error" + end);
  EXPECT_EQ(refusal("hello", CUDA_ERROR_INVALID_IMAGE),
            "error   : Binary format for key='0', ident='' is not recognized");
  EXPECT_EQ(
      refusal(".version 9.9\n.target sm_90\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
          .rfind("ptxas application ptx input, line 1; fatal   : Unsupported .version 9.9; current version is '", 0),
      0u);
  EXPECT_EQ(refusal(".version 8.0\n.target sm_100\n"),
            "ptxas application ptx input, line 2; error   : PTX .version 8.0 does not support .target sm_100" + end);
  EXPECT_EQ(refusal(".version 8.0\n.target sm_999\n"),
            "ptxas application ptx input, line 2; fatal   : Unsupported .target 'sm_999'" + end);
  const char elf[] =
      "\x7f"
      "ELF....";
  EXPECT_EQ(driver().cuModuleLoadData(&module, elf), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(driver().cuModuleLoad(&module, "/nonexistent"), CUDA_ERROR_FILE_NOT_FOUND);
}

// The parser once waited for the end of such a list for ever.
TEST_F(CudaKernels, AreNotLoadedWithAListOfAttributesWithoutEnd) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const std::string rest :
       {".visible .entry k() .attribute(.unified", ".global .attribute(.managed", ".func .attribute(.unified(1"}) {
    CUmodule module = nullptr;
    EXPECT_EQ(driver().cuModuleLoadData(&module, (head + rest).c_str()), CUDA_ERROR_INVALID_PTX) << rest;
  }
}

}  // namespace
}  // namespace nvmlkit::cuda_test
