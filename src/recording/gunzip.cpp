#include "recording/gunzip.hpp"

#include <zlib.h>

#include <array>
#include <limits>

namespace nvmlkit::recording {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

Expected<std::string> gunzip(const std::string& file, std::string_view bytes, std::size_t most) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  const auto broken = [&](std::string why) {
    return refuse_at({file}, std::move(why), "unpack it with gzip -d to see");
  };
  if (bytes.size() > std::numeric_limits<uInt>::max()) return broken("more than 4 GiB");
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return sim::fail({.kind = sim::ProblemKind::out_of_memory});
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 65536> piece{};
  int result = Z_OK;
  while (out.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
    if (result == Z_STREAM_END) {
      if (stream.avail_in == 0) break;
      if (inflateReset(&stream) != Z_OK) break;
    } else if (result != Z_OK) {
      break;
    }
  }
  inflateEnd(&stream);
  if (out.size() > most) return broken("more than " + std::to_string(most >> 20) + " MiB of text");
  if (result != Z_STREAM_END) return broken("the gzip data are broken or cut");
  return out;
}

}  // namespace nvmlkit::recording
