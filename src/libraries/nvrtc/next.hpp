// NVIDIA's NVRTC, which compiles.
#pragma once

#include <string>

#include "libraries/nvrtc/generated/api.hpp"

namespace nvmlkit::nvrtc {

struct Next {
#define NVMLKIT_NEXT(name) decltype(&::nvmlkit::nvrtc::nvrtc##name) name = nullptr
  NVMLKIT_NEXT(AddNameExpression);
  NVMLKIT_NEXT(CompileProgram);
  NVMLKIT_NEXT(CreateProgram);
  NVMLKIT_NEXT(DestroyProgram);
  NVMLKIT_NEXT(GetErrorString);
  NVMLKIT_NEXT(GetLTOIR);
  NVMLKIT_NEXT(GetLTOIRSize);
  NVMLKIT_NEXT(GetLoweredName);
  NVMLKIT_NEXT(GetNumSupportedArchs);
  NVMLKIT_NEXT(GetOptiXIR);
  NVMLKIT_NEXT(GetOptiXIRSize);
  NVMLKIT_NEXT(GetPCHCreateStatus);
  NVMLKIT_NEXT(GetPCHHeapSize);
  NVMLKIT_NEXT(GetPCHHeapSizeRequired);
  NVMLKIT_NEXT(GetPTX);
  NVMLKIT_NEXT(GetPTXSize);
  NVMLKIT_NEXT(GetProgramLog);
  NVMLKIT_NEXT(GetProgramLogSize);
  NVMLKIT_NEXT(GetSupportedArchs);
  NVMLKIT_NEXT(SetFlowCallback);
  NVMLKIT_NEXT(SetPCHHeapSize);
  NVMLKIT_NEXT(Version);
#undef NVMLKIT_NEXT
};

// Looked for at the first call: NVMLKIT_NVRTC, LD_LIBRARY_PATH, beside the libraries of the process (wheels of PyPI),
// the system's folders. Null where there is none; the first time, one line gives the places.
const Next* next();

// Its release, the name of its file and its size: what a compiled result depends on. Empty without one.
const std::string& compiler_name();

// Calls a function of it. NVRTC_ERROR_INTERNAL_ERROR without a compiler, or if it is too old to have the function.
template <class Member, class... Arguments>
nvrtcResult ask(Member Next::*member, Arguments... arguments) {
  const Next* const compiler = next();
  return compiler && compiler->*member ? (compiler->*member)(arguments...) : NVRTC_ERROR_INTERNAL_ERROR;
}

}  // namespace nvmlkit::nvrtc
