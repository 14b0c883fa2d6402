#include "libraries/nvrtc/functions/programs.hpp"

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/never_destroyed.hpp"

namespace nvmlkit::nvrtc::functions {
namespace {

// Programs that were last compiled for a real architecture.
class RealPrograms {
 public:
  void set(Program program, bool is_real) {
    const std::lock_guard lock(mutex_);
    if (is_real)
      programs_.insert(program);
    else
      programs_.erase(program);
  }
  bool has(Program program) {
    const std::lock_guard lock(mutex_);
    return programs_.count(program) > 0;
  }

 private:
  std::mutex mutex_;
  std::set<Program> programs_;
};

RealPrograms& real_programs() {
  static NeverDestroyed<RealPrograms> all;
  return *all;
}

// sm_90a -> compute_90a, behind any option's name. True if the option named a real architecture.
bool make_virtual(std::string& option) {
  for (const std::string_view name : {"--gpu-architecture=", "-arch=", "--gpu-architecture", "-arch", ""}) {
    const std::string real = std::string(name) + "sm_";
    if (!option.starts_with(real)) continue;
    option = std::string(name) + "compute_" + option.substr(real.size());
    return true;
  }
  return false;
}

}  // namespace

nvrtcResult create(Program* program, const char* source, const char* name, int count, const char* const* headers,
                   const char* const* names) {
  return ask(&Next::CreateProgram, program, source, name, count, headers, names);
}

nvrtcResult destroy(Program* program) {
  const Program gone = program ? *program : nullptr;
  const auto result = ask(&Next::DestroyProgram, program);
  if (result == NVRTC_SUCCESS) real_programs().set(gone, false);
  return result;
}

nvrtcResult compile(Program program, int count, const char* const* options) {
  std::vector<std::string> texts;
  bool is_real = false;
  for (int i = 0; options && i < count; ++i) {
    std::string& text = texts.emplace_back(options[i] ? options[i] : "");
    is_real |= make_virtual(text);
  }
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const auto result = ask(&Next::CompileProgram, program, count, options ? pointers.data() : nullptr);
  real_programs().set(program, result == NVRTC_SUCCESS && is_real);
  return result;
}

nvrtcResult cubin_size(Program program, std::size_t* size) {
  if (real_programs().has(program)) return ask(&Next::GetPTXSize, program, size);
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  std::size_t any = 0;
  if (const auto result = ask(&Next::GetProgramLogSize, program, &any); result != NVRTC_SUCCESS) return result;
  *size = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult cubin(Program program, char* out) {
  return real_programs().has(program) ? ask(&Next::GetPTX, program, out) : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult add_name(Program program, const char* name) { return ask(&Next::AddNameExpression, program, name); }
nvrtcResult lowered_name(Program program, const char* name, const char** lowered) {
  return ask(&Next::GetLoweredName, program, name, lowered);
}
nvrtcResult ptx_size(Program program, std::size_t* size) { return ask(&Next::GetPTXSize, program, size); }
nvrtcResult ptx(Program program, char* out) { return ask(&Next::GetPTX, program, out); }
nvrtcResult ltoir_size(Program program, std::size_t* size) { return ask(&Next::GetLTOIRSize, program, size); }
nvrtcResult ltoir(Program program, char* out) { return ask(&Next::GetLTOIR, program, out); }
nvrtcResult optixir_size(Program program, std::size_t* size) { return ask(&Next::GetOptiXIRSize, program, size); }
nvrtcResult optixir(Program program, char* out) { return ask(&Next::GetOptiXIR, program, out); }
nvrtcResult log_size(Program program, std::size_t* size) { return ask(&Next::GetProgramLogSize, program, size); }
nvrtcResult log(Program program, char* out) { return ask(&Next::GetProgramLog, program, out); }
nvrtcResult set_flow_callback(Program program, FlowCallback callback, void* payload) {
  return ask(&Next::SetFlowCallback, program, callback, payload);
}
nvrtcResult header_status(Program program) { return ask(&Next::GetPCHCreateStatus, program); }
nvrtcResult header_heap_required(Program program, std::size_t* size) {
  return ask(&Next::GetPCHHeapSizeRequired, program, size);
}

}  // namespace nvmlkit::nvrtc::functions
