// In place of gunzip.cpp, without zlib.
#include "recording/gunzip.hpp"

namespace nvmlkit::recording {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

Expected<std::string> gunzip(const std::string& file, std::string_view, std::size_t) {
  return refuse_at({file}, "this nvmlkit was built without zlib, and the file is compressed", "unpack it with gzip -d");
}

}  // namespace nvmlkit::recording
