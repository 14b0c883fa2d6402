// LTO-IR that NVIDIA's compiler makes of a text, for every GPU that it knows, and a fat binary around it, as nvcc
// writes one.
#pragma once

#include <cstring>
#include <string>

#include "generated/nvrtc_table.hpp"

namespace nvmlkit::library_test {

inline constexpr const char* kNoCompiler = "there is no libnvrtc of NVIDIA";

// Of CUDA 12, as our libraries for CUDA 12 have it beside them.
inline const Nvrtc& compiler() {
  static const Nvrtc the("libnvrtc.so.12");
  return the;
}

// Without NVIDIA's library there is none.
inline bool has_compiler(const Nvrtc& compiler) {
  int major = 0, minor = 0;
  return compiler.nvrtcVersion(&major, &minor) == nvrtc::NVRTC_SUCCESS;
}

inline std::string lto_ir(const Nvrtc& compiler, const std::string& source) {
  nvrtc::Program program = nullptr;
  EXPECT_EQ(compiler.nvrtcCreateProgram(&program, source.c_str(), "part.cu", 0, nullptr, nullptr),
            nvrtc::NVRTC_SUCCESS);
  const char* options[] = {"-dlto", "-rdc=true", "-arch=compute_75"};
  EXPECT_EQ(compiler.nvrtcCompileProgram(program, 3, options), nvrtc::NVRTC_SUCCESS);
  std::size_t size = 0;
  EXPECT_EQ(compiler.nvrtcGetLTOIRSize(program, &size), nvrtc::NVRTC_SUCCESS);
  std::string code(size, '\0');
  EXPECT_EQ(compiler.nvrtcGetLTOIR(program, code.data()), nvrtc::NVRTC_SUCCESS);
  EXPECT_EQ(compiler.nvrtcDestroyProgram(&program), nvrtc::NVRTC_SUCCESS);
  return code;
}

// One entry, not packed, with the options of the compilation.
inline std::string fat_binary_of(std::string code) {
  std::string options = "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 ";
  const auto fill = [](std::string& text) { text.resize((text.size() + 7) / 8 * 8); };
  const auto length = options.size();
  options += '\0';
  fill(options);
  fill(code);
  constexpr std::size_t kRegion = 16, kEntry = 72;
  std::string out(kRegion + kEntry, '\0');
  const auto put = [&out]<class T>(std::size_t at, T value) { std::memcpy(out.data() + at, &value, sizeof value); };
  put(0, std::uint32_t{0xBA55ED50});
  put(4, std::uint16_t{1});
  put(6, static_cast<std::uint16_t>(kRegion));
  put(8, std::uint64_t{kEntry + options.size() + code.size()});
  put(kRegion, std::uint16_t{8});
  put(kRegion + 2, std::uint16_t{0x101});
  put(kRegion + 4, static_cast<std::uint32_t>(kEntry + options.size()));
  put(kRegion + 8, std::uint64_t{code.size()});
  put(kRegion + 20, std::uint32_t{64});
  put(kRegion + 24, std::uint32_t{0x10041});
  put(kRegion + 28, std::uint32_t{75});
  put(kRegion + 40, std::uint64_t{0x10011});
  put(kRegion + 56, std::uint64_t{code.size()});
  put(kRegion + 64, static_cast<std::uint32_t>(kEntry));
  put(kRegion + 68, static_cast<std::uint32_t>(length));
  return out + options + code;
}

}  // namespace nvmlkit::library_test
