// Programs. A program that is compiled for a real architecture has PTX where NVIDIA's has machine code: our
// libcuda.so.1 loads the one as the other.
#pragma once

#include "libraries/nvrtc/next.hpp"

namespace nvmlkit::nvrtc::functions {

nvrtcResult create(Program* program, const char* source, const char* name, int count, const char* const* headers,
                   const char* const* names);
nvrtcResult destroy(Program* program);
nvrtcResult compile(Program program, int count, const char* const* options);

// 0 and NVRTC_ERROR_INVALID_PROGRAM for a program of a virtual architecture, as NVIDIA's.
nvrtcResult cubin_size(Program program, std::size_t* size);
nvrtcResult cubin(Program program, char* out);

nvrtcResult add_name(Program program, const char* name);
nvrtcResult lowered_name(Program program, const char* name, const char** lowered);
nvrtcResult ptx_size(Program program, std::size_t* size);
nvrtcResult ptx(Program program, char* out);
nvrtcResult ltoir_size(Program program, std::size_t* size);
nvrtcResult ltoir(Program program, char* out);
nvrtcResult optixir_size(Program program, std::size_t* size);
nvrtcResult optixir(Program program, char* out);
nvrtcResult log_size(Program program, std::size_t* size);
nvrtcResult log(Program program, char* out);
nvrtcResult set_flow_callback(Program program, FlowCallback callback, void* payload);
nvrtcResult header_status(Program program);
nvrtcResult header_heap_required(Program program, std::size_t* size);

}  // namespace nvmlkit::nvrtc::functions
