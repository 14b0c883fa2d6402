#include "trace/encode.hpp"

#include "trace/bytes.hpp"

namespace nvmlkit::trace {
namespace {

// A copy of a region, as a chunk.
template <class Copy>
void put_region(Buffer& out, Buffer& scratch, const Region& region, Copy copy) noexcept {
  scratch.clear();
  if (unsigned char* to = scratch.extend(region.size); to && region.size > 0) copy(region, to);
  put_chunk(out, scratch.data(), scratch.size());
}

}  // namespace

// FUNCTION, then for each argument its word, or for a pointer 1 or 0 with the bytes that are read; then what is read
// behind pointers inside structs.
void Encoder::question() noexcept {
  const Shape& function = before_.shape();
  const auto read = [&](const Region& region, unsigned char* to) { before_.copy_input(region, to); };
  out_.number(number_);
  std::uint32_t next = 0;
  const auto put_words_until = [&](std::uint32_t end) {
    for (; next < end; ++next) {
      const char letter = letter_of(function.arguments[next].kind);
      const Word word = before_.words()[next];
      out_.number(is_pointer(letter) ? word != 0 : word);
      if (is_read(letter)) put_absent(out_);
    }
  };
  before_.inputs(false, [&](const Region& region) {
    put_words_until(region.argument);
    out_.number(1);
    put_region(out_, scratch_, region, read);
    next = region.argument + 1;
  });
  put_words_until(static_cast<std::uint32_t>(function.arguments.size()));
  std::uint64_t count = 0;
  before_.inputs(true, [&](const Region&) { ++count; });
  out_.number(count);
  before_.inputs(true, [&](const Region& region) {
    out_.number(region.argument);
    out_.number(static_cast<std::uint64_t>(region.offset));
    put_region(out_, scratch_, region, read);
  });
}

// THREAD, START, DURATION, the result, then what is written behind each pointer; then behind pointers inside structs.
void Encoder::answer(Word result, const Times& times, std::span<const unsigned char> extra) noexcept {
  const Shape& function = before_.shape();
  const auto written = [&](const Region& region, unsigned char* to) { before_.copy_output(region, to); };
  out_.number(times.thread);
  out_.number(times.start);
  out_.number(times.duration);
  const int code = function.returns_text ? 0 : static_cast<int>(result);
  if (function.returns_text) {
    const auto* text = at_word<unsigned char>(result);
    put_chunk(out_, text, text ? ::strnlen(at_word<char>(result), 65536) : 0);
  } else {
    out_.number(folded(code));
  }
  std::uint32_t next = 0;
  const auto skip_until = [&](std::uint32_t end) {
    for (; next < end; ++next)
      if (is_written(letter_of(function.arguments[next].kind))) put_absent(out_);
  };
  if (!extra.empty()) {
    put_chunk(out_, extra.data(), extra.size());
    next = 1;
  }
  before_.outputs(false, code, [&](const Region& region) {
    skip_until(region.argument);
    put_region(out_, scratch_, region, written);
    next = region.argument + 1;
  });
  skip_until(static_cast<std::uint32_t>(function.arguments.size()));
  std::uint64_t count = 0;
  before_.outputs(true, code, [&](const Region&) { ++count; });
  out_.number(count);
  before_.outputs(true, code, [&](const Region& region) {
    out_.number(region.argument);
    out_.number(static_cast<std::uint64_t>(region.offset));
    put_region(out_, scratch_, region, written);
  });
}

}  // namespace nvmlkit::trace
