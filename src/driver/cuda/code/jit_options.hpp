// Options of the calls that load or link code, and their logs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

// A text buffer of the program, and the option with its size, which becomes the length of the text.
class LogBuffer {
 public:
  void is_at(void* buffer) { buffer_ = static_cast<char*>(buffer); }
  void has_size(void** option) {
    option_ = option;
    size_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*option));
  }
  void write(std::string_view text) const {
    const auto length = size_ == 0 ? 0 : std::min<std::size_t>(size_ - 1, text.size());
    if (buffer_ && size_ != 0) {
      std::memcpy(buffer_, text.data(), length);
      buffer_[length] = '\0';
    }
    if (option_) *option_ = reinterpret_cast<void*>(length);
  }

 private:
  char* buffer_ = nullptr;
  void** option_ = nullptr;
  std::size_t size_ = 0;
};

struct JitLogs {
  LogBuffer info, error;

  JitLogs(unsigned count, const CUjit_option* options, void** values) {
    for (unsigned k = 0; options && values && k < count; ++k) switch (options[k]) {
        case CU_JIT_INFO_LOG_BUFFER:
          info.is_at(values[k]);
          break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
          info.has_size(values + k);
          break;
        case CU_JIT_ERROR_LOG_BUFFER:
          error.is_at(values[k]);
          break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
          error.has_size(values + k);
          break;
        default:
          break;
      }
  }
  void write(std::string_view errors) const {
    info.write("");
    error.write(errors);
  }
};

}  // namespace nvmlkit::cuda
