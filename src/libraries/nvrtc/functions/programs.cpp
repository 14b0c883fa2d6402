#include "libraries/nvrtc/functions/programs.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/never_destroyed.hpp"
#include "code_cache/digest.hpp"
#include "code_cache/files.hpp"
#include "libraries/nvrtc/record.hpp"

namespace nvmlkit::nvrtc::functions {
namespace {

// What ours knows of a program of NVIDIA's.
struct Record {
  Source source;
  std::vector<std::string> options;  // of the last compilation
  bool is_real = false;              // it was for a real architecture, and went well
  bool is_watched = false;           // by a callback, which may stop the compiler
  std::optional<Compiled> kept;      // the result came from a file: NVIDIA's program is not compiled
  std::optional<Compiled> given;     // `kept` until it was compiled after all: the caller may hold its names
};

class Records {
 public:
  void put(Program program, std::shared_ptr<Record> record) {
    const std::lock_guard lock(mutex_);
    if (record)
      all_[program] = std::move(record);
    else
      all_.erase(program);
  }
  // Null for what is no program.
  std::shared_ptr<Record> find(Program program) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(program);
    return found == all_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<Program, std::shared_ptr<Record>> all_;
};

Records& records() {
  static NeverDestroyed<Records> all;
  return *all;
}

// Null where it is switched off.
code_cache::Files* files() {
  static code_cache::Files* const the = [] {
    const char* const set = secure_getenv("NVMLKIT_NVRTC_CACHE");
    return set && std::string_view(set) == "0" ? nullptr : code_cache::Files::open().release();
  }();
  return the;
}
// Keeping is not for several threads at once.
std::mutex files_mutex;

// Asks NVIDIA's for a program that is there; it follows any other pointer.
template <class Member, class... Arguments>
nvrtcResult ask_of(Member Next::*member, Program program, Arguments... arguments) {
  if (program && !records().find(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  return ask(member, program, arguments...);
}

nvrtcResult compile_now(Program program, const std::vector<std::string>& options) {
  std::vector<const char*> pointers;
  for (const std::string& text : options) pointers.push_back(text.c_str());
  return ask(&Next::CompileProgram, program, static_cast<int>(options.size()),
             options.empty() ? nullptr : pointers.data());
}

// For what no file has: NVIDIA's program is compiled after all.
template <class Member, class... Arguments>
nvrtcResult ask_compiled(Member Next::*member, Program program, Arguments... arguments) {
  if (const auto record = records().find(program); record && record->kept) {
    if (const auto result = compile_now(program, record->options); result != NVRTC_SUCCESS) return result;
    record->given = std::exchange(record->kept, std::nullopt);
  }
  return ask_of(member, program, arguments...);
}

// A text of the result: `kept`, or what NVIDIA's program answers.
template <class Size>
nvrtcResult size_of(Program program, std::string Compiled::*text, Size Next::*size, std::size_t* out) {
  const auto record = records().find(program);
  if (!record || !record->kept || !out) return ask_of(size, program, out);
  *out = ((*record->kept).*text).size();
  return NVRTC_SUCCESS;
}
template <class Get>
nvrtcResult text_of(Program program, std::string Compiled::*text, Get Next::*get, char* out) {
  const auto record = records().find(program);
  if (!record || !record->kept || !out) return ask_of(get, program, out);
  const std::string& from = (*record->kept).*text;
  std::copy(from.begin(), from.end(), out);
  return NVRTC_SUCCESS;
}

template <class Size, class Get>
bool fetch(Program program, Size Next::*size, Get Next::*get, std::string& out) {
  std::size_t bytes = 0;
  if (ask(size, program, &bytes) != NVRTC_SUCCESS || bytes == 0) return false;
  out.resize(bytes);
  return ask(get, program, out.data()) == NVRTC_SUCCESS;
}

void keep(Program program, const Record& record, const std::string& name) {
  Compiled compiled;
  if (!fetch(program, &Next::GetPTXSize, &Next::GetPTX, compiled.ptx) ||
      !fetch(program, &Next::GetProgramLogSize, &Next::GetProgramLog, compiled.log))
    return;
  for (const std::string& expression : record.source.expressions) {
    const char* lowered = nullptr;
    if (ask(&Next::GetLoweredName, program, expression.c_str(), &lowered) != NVRTC_SUCCESS || !lowered) return;
    compiled.names[expression] = lowered;
  }
  const std::lock_guard lock(files_mutex);
  files()->keep(name, written(compiled));
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
  const auto result = ask(&Next::CreateProgram, program, source, name, count, headers, names);
  if (result != NVRTC_SUCCESS) return result;
  auto record = std::make_shared<Record>();
  record->source.text = source;
  record->source.name = name ? name : "";
  for (int i = 0; i < count; ++i) record->source.headers.emplace_back(names[i] ? names[i] : "", headers[i]);
  records().put(*program, std::move(record));
  return result;
}

nvrtcResult destroy(Program* program) {
  const Program gone = program ? *program : nullptr;
  if (gone && !records().find(gone)) return NVRTC_ERROR_INVALID_PROGRAM;
  const auto result = ask(&Next::DestroyProgram, program);
  if (result == NVRTC_SUCCESS) records().put(gone, nullptr);
  return result;
}

nvrtcResult compile(Program program, int count, const char* const* options) {
  const auto record = records().find(program);
  if (!record || count < 0 || (count > 0 && !options)) return ask_of(&Next::CompileProgram, program, count, options);
  record->kept.reset();
  record->options.clear();
  bool is_real = false;
  for (int i = 0; i < count; ++i) {
    std::string& text = record->options.emplace_back(options[i] ? options[i] : "");
    is_real |= make_virtual(text);
  }
  std::string name;
  if (files() && !record->is_watched && !compiler_name().empty()) {
    if (const auto content = content_of(record->source, record->options, compiler_name()))
      name = code_cache::digest_of(*content);
    if (const auto known = name.empty() ? std::nullopt : files()->find(name)) record->kept = read(*known);
  }
  const auto result = record->kept ? NVRTC_SUCCESS : compile_now(program, record->options);
  record->is_real = result == NVRTC_SUCCESS && is_real;
  if (result == NVRTC_SUCCESS && !record->kept && !name.empty()) keep(program, *record, name);
  return result;
}

nvrtcResult cubin_size(Program program, std::size_t* size) {
  const auto record = records().find(program);
  if (record && record->is_real) return ptx_size(program, size);
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  std::size_t any = 0;
  if (const auto result = log_size(program, &any); result != NVRTC_SUCCESS) return result;
  *size = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult cubin(Program program, char* out) {
  const auto record = records().find(program);
  return record && record->is_real ? ptx(program, out) : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult add_name(Program program, const char* name) {
  const auto result = ask_compiled(&Next::AddNameExpression, program, name);
  if (const auto record = records().find(program); record && result == NVRTC_SUCCESS)
    record->source.expressions.emplace_back(name);
  return result;
}
nvrtcResult lowered_name(Program program, const char* name, const char** lowered) {
  if (const auto record = records().find(program); record && record->kept && name && lowered)
    if (const auto found = record->kept->names.find(name); found != record->kept->names.end()) {
      *lowered = found->second.c_str();
      return NVRTC_SUCCESS;
    }
  return ask_compiled(&Next::GetLoweredName, program, name, lowered);
}
nvrtcResult ptx_size(Program program, std::size_t* size) {
  return size_of(program, &Compiled::ptx, &Next::GetPTXSize, size);
}
nvrtcResult ptx(Program program, char* out) { return text_of(program, &Compiled::ptx, &Next::GetPTX, out); }
nvrtcResult ltoir_size(Program program, std::size_t* size) { return ask_compiled(&Next::GetLTOIRSize, program, size); }
nvrtcResult ltoir(Program program, char* out) { return ask_compiled(&Next::GetLTOIR, program, out); }
nvrtcResult optixir_size(Program program, std::size_t* size) {
  return ask_compiled(&Next::GetOptiXIRSize, program, size);
}
nvrtcResult optixir(Program program, char* out) { return ask_compiled(&Next::GetOptiXIR, program, out); }
nvrtcResult log_size(Program program, std::size_t* size) {
  return size_of(program, &Compiled::log, &Next::GetProgramLogSize, size);
}
nvrtcResult log(Program program, char* out) { return text_of(program, &Compiled::log, &Next::GetProgramLog, out); }
nvrtcResult set_flow_callback(Program program, FlowCallback callback, void* payload) {
  const auto result = ask_of(&Next::SetFlowCallback, program, callback, payload);
  if (const auto record = records().find(program); record && result == NVRTC_SUCCESS)
    record->is_watched = callback != nullptr;
  return result;
}
nvrtcResult header_status(Program program) { return ask_compiled(&Next::GetPCHCreateStatus, program); }
nvrtcResult header_heap_required(Program program, std::size_t* size) {
  return ask_compiled(&Next::GetPCHHeapSizeRequired, program, size);
}

}  // namespace nvmlkit::nvrtc::functions
