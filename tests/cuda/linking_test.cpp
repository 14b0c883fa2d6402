// Several PTX modules that are linked into one program.
#include <array>
#include <string>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr const char* kHead = ".version 7.0\n.target sm_70\n.address_size 64\n";

// A kernel that writes what `work` leaves in %r1.
std::string kernel(const std::string& name, const std::string& work, const std::string& linkage = ".visible") {
  return linkage + " .entry " + name + "(.param .u64 out)\n{ .reg .b32 %r<9>; .reg .b64 %rd<9>;\n" +
         "ld.param.u64 %rd8, [out];\n" + work + "\nst.global.u32 [%rd8], %r1; ret; }\n";
}

std::string call_of(const std::string& function) {
  return "{ .param .b32 back; call (back), " + function + "; ld.param.b32 %r1, [back]; }";
}

std::string gives(const std::string& linkage, const std::string& function, int value) {
  return linkage + " .func (.param .b32 back) " + function + "()\n{ .reg .b32 %r1; mov.u32 %r1, " +
         std::to_string(value) + "; st.param.b32 [back], %r1; ret; }\n";
}

class CudaLinking : public WithContext {
 protected:
  // Modules one behind the other, as cuLinkComplete and the loader of fat binaries hand them on.
  static std::string joined(std::initializer_list<std::string> modules) {
    std::string out;
    for (const auto& text : modules) out += (out.empty() ? "" : "\f") + (kHead + text);
    return out;
  }
  CUmodule load(std::initializer_list<std::string> modules) {
    CUmodule module = nullptr;
    EXPECT_EQ(driver().cuModuleLoadData(&module, joined(modules).c_str()), CUDA_SUCCESS);
    return module;
  }
  std::string refusal(std::initializer_list<std::string> modules) {
    CUmodule module = nullptr;
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    EXPECT_EQ(driver().cuModuleLoadDataEx(&module, joined(modules).c_str(), 2u, options, values),
              CUDA_ERROR_INVALID_PTX);
    return log;
  }
  int result(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(driver().cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    const auto out = allocate(4);
    EXPECT_EQ(launch_kernel(function, 1, 1, CUstream{}, out), CUDA_SUCCESS);
    int value = -1;
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(&value, out, std::size_t{4}), CUDA_SUCCESS);
    release(out);
    return value;
  }
};

TEST_F(CudaLinking, FindsFunctionsAndVariablesOfOtherModules) {
  auto* const module = load({".extern .func (.param .b32 back) seven();\n.extern .global .u32 counter;\n" +
                                 kernel("calls", call_of("seven")) + kernel("reads", "ld.global.u32 %r1, [counter];"),
                             gives(".visible", "seven", 7) + ".visible .global .u32 counter = 5;\n"});
  EXPECT_EQ(result(module, "calls"), 7);
  EXPECT_EQ(result(module, "reads"), 5);
  CUdeviceptr address = 0;
  std::size_t size = 0;
  EXPECT_EQ(driver().cuModuleGetGlobal_v2(&address, &size, module, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
}

TEST_F(CudaLinking, KeepsWhatIsLocalApart) {
  auto* const module = load({gives("", "own", 1) + ".global .u32 x = 10;\n" +
                                 kernel("first", call_of("own") + " ld.global.u32 %r2, [x]; add.u32 %r1, %r1, %r2;"),
                             gives("", "own", 2) + ".global .u32 x = 20;\n" +
                                 kernel("second", call_of("own") + " ld.global.u32 %r2, [x]; add.u32 %r1, %r1, %r2;")});
  EXPECT_EQ(result(module, "first"), 11);
  EXPECT_EQ(result(module, "second"), 22);
}

TEST_F(CudaLinking, TakesOneOfSeveralWeakAndTheStrongOne) {
  auto* const module =
      load({gives(".weak", "both", 1) + gives(".weak", "strong", 1) + kernel("one", call_of("both")),
            gives(".weak", "both", 2) + gives(".visible", "strong", 2) + kernel("two", call_of("both")),
            ".extern .func (.param .b32 back) strong();\n" + kernel("three", call_of("strong")),
            kernel("one_more", "mov.u32 %r1, 4;", ".weak"), kernel("one_more", "mov.u32 %r1, 5;", ".weak")});
  EXPECT_EQ(result(module, "one"), 1);
  EXPECT_EQ(result(module, "two"), 1);
  EXPECT_EQ(result(module, "three"), 2);
  EXPECT_EQ(result(module, "one_more"), 4);
}

TEST_F(CudaLinking, MakesOneOfCommonVariables) {
  auto* const module =
      load({".common .global .align 4 .b8 shared_one[4];\n" +
                kernel("writes", "mov.u32 %r1, 9; st.global.u32 [shared_one], %r1;"),
            ".common .global .align 4 .b8 shared_one[64];\n" + kernel("reads", "ld.global.u32 %r1, [shared_one];")});
  EXPECT_EQ(result(module, "writes"), 9);
  EXPECT_EQ(result(module, "reads"), 9);
  CUdeviceptr address = 0;
  std::size_t size = 0;
  EXPECT_EQ(driver().cuModuleGetGlobal_v2(&address, &size, module, "shared_one"), CUDA_SUCCESS);
  EXPECT_EQ(size, 64u);
}

TEST_F(CudaLinking, KnowsAddressesOfFunctionsAndVariablesOfOtherModules) {
  const std::string by_address =
      "ld.global.u64 %rd1, [table]; { .param .b32 back; proto: .callprototype (.param .b32 _) _ (); "
      "call (back), %rd1, (), proto; ld.param.b32 %r1, [back]; }";
  auto* const module =
      load({".extern .func (.param .b32 back) eight();\n.extern .global .u32 number;\n"
            ".global .u64 table[2] = {eight, generic(number)};\n" +
                kernel("calls", by_address) + kernel("reads", "ld.global.u64 %rd1, [table+8]; ld.u32 %r1, [%rd1];"),
            ".visible .func (.param .b32 back) eight();\n.visible .global .u32 number = 6;\n" + gives("", "impl", 8) +
                ".alias eight, impl;\n"});
  EXPECT_EQ(result(module, "calls"), 8);
  EXPECT_EQ(result(module, "reads"), 6);
}

// A launch of `kernel` by device code, with `threads` in a block and the pointer that the caller has.
std::string launches(const std::string& runtime, const std::string& kernel, int threads, int stream) {
  const auto n = std::to_string(threads);
  return "{ .param .b64 f; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 shared; .param "
         ".b64 "
         "buffer; .param .b64 to; .param .b32 error;\nmov.u64 %rd1, " +
         kernel + "; st.param.b64 [f], %rd1; st.param.b32 [grid], 2; st.param.b32 [grid+4], 1; " +
         "st.param.b32 [grid+8], 1; st.param.b32 [block], " + n + "; st.param.b32 [block+4], 1; " +
         "st.param.b32 [block+8], 1; st.param.b32 [shared], 0;\ncall (buffer), " + runtime +
         "GetParameterBufferV2, (f, grid, block, shared); ld.param.b64 %rd2, [buffer];\n" +
         "setp.ne.u64 %p1, %rd2, 0; @%p1 st.u64 [%rd2], %rd8; st.param.b64 [buffer], %rd2;" + "st.param.b64 [to], " +
         std::to_string(stream) + ";\ncall (error), " + runtime +
         "LaunchDeviceV2, (buffer, to); ld.param.b32 %r2, [error]; }\n";
}

TEST_F(CudaLinking, LetsKernelsLaunchKernels) {
  for (const std::string runtime : {"cuda", "__cudaCDP2"}) {
    const auto declared = ".extern .func (.param .b64 b) " + runtime +
                          "GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 t[12], "
                          ".param .b32 s);\n.extern .func (.param .b32 e) " +
                          runtime + "LaunchDeviceV2(.param .b64 b, .param .b64 s);\n.extern .func (.param .b32 e) " +
                          runtime + "GetLastError();\n.extern .entry adds(.param .u64 out);\n" +
                          ".extern .entry doubles(.param .u64 out);\n";
    const auto both = launches(runtime, "doubles", 1, 3) + launches(runtime, "adds", 32, 0) + "mov.u32 %r1, 5;";
    const auto wrong = launches(runtime, "adds", 2000, 0) + call_of(runtime + "GetLastError");
    const std::string with_predicate = ".reg .pred %p<2>;\n";
    auto* const module =
        load({declared + kernel("parent", with_predicate + both) + kernel("too_many", with_predicate + wrong),
              ".visible .entry adds(.param .u64 out)\n{ .reg .b64 %rd1; ld.param.u64 %rd1, [out]; "
              "red.global.add.u32 [%rd1], 1; ret; }\n"
              ".visible .entry doubles(.param .u64 out)\n{ .reg .b64 %rd1; .reg .pred %p1; .reg .b32 "
              "%r1; .reg .b32 %t; ld.param.u64 %rd1, [out]; mov.u32 %t, %ctaid.x; setp.eq.u32 %p1, "
              "%t, 0; ld.global.u32 %r1, [%rd1]; shl.b32 %r1, %r1, 1; @%p1 st.global.u32 [%rd1], "
              "%r1; ret; }\n"});
    // The parent writes 5, its 64 threads add, and the tail launch comes last although it was asked for first.
    EXPECT_EQ(result(module, "parent"), (5 + 64) * 2);
    EXPECT_EQ(result(module, "too_many"), 1);  // LaunchDevice without a buffer is the later error
  }
}

std::string error_in(int line, const std::string& text) {
  return "ptxas application ptx input, line " + std::to_string(line) + "; error   : " + text +
         "\nptxas fatal   : Ptx assembly aborted due to errors";
}

TEST_F(CudaLinking, NamesWhatIsMissingOrDefinedTwice) {
  const auto calls = ".extern .func (.param .b32 back) away();\n" + kernel("calls", call_of("away"));
  EXPECT_EQ(refusal({gives(".visible", "other", 1), calls}), "ptxas fatal   : Unresolved extern function 'away'");
  EXPECT_EQ(refusal({".extern .global .u32 away;\n" + kernel("reads", "ld.global.u32 %r1, [away];")}),
            error_in(8, "ld.global.u32: variable away is declared, and no module that is linked defines it"));
  EXPECT_EQ(refusal({gives(".visible", "twice", 1), gives(".visible", "twice", 2)}),
            error_in(4, "'twice' is defined twice, in module 1 and in module 2 of what is linked"));
  EXPECT_EQ(refusal({".visible .global .u32 twice;\n", "\n.visible .global .u32 twice;\n"}),
            error_in(5, "'twice' is defined twice, in module 1 and in module 2 of what is linked"));
  EXPECT_EQ(refusal({".extern .global .u32 away;\n.global .u64 place = away;\n"}),
            error_in(5, "the initial value of place: no linked module defines 'away'"));
  EXPECT_EQ(refusal({".func a();\n.func b();\n.alias a, b;\n.alias b, a;\n"}), error_in(6, ".alias a: b has no body"));
  EXPECT_EQ(refusal({"", "frob\n"}),
            "ptxas application ptx input, line 4; fatal   : Parsing error near 'frob': syntax error\nptxas fatal   : "
            "Ptx assembly aborted due to errors");
}

}  // namespace
}  // namespace nvmlkit::cuda_test
