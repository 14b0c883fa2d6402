#include "trace/recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "trace/bytes.hpp"
#include "trace/format.hpp"
#include "trace/shape.hpp"

namespace nvmlkit::trace {
namespace {

constexpr std::uint64_t kMostFunctions = 65536;
constexpr std::size_t kMostLetters = 16;

template <class T>
T value_at(const std::string& bytes, std::size_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

// The function of this build with the same name and the same arguments. Files of the same build have the same numbers.
std::size_t known_as(const Function& function, std::size_t number) {
  const bool same = number < function_count() && function.name == shape(number).name;
  const std::size_t found = same ? number : find_function(function.name);
  if (found == SIZE_MAX) return found;
  std::string letters;
  for (const Argument& argument : shape(found).arguments) letters += letter_of(argument.kind);
  return letters == function.letters && shape(found).returns_text == function.returns_text ? found : SIZE_MAX;
}

bool read_functions(Cursor& cursor, std::vector<Function>& out) {
  const std::uint64_t count = cursor.number();
  if (count > kMostFunctions) return false;
  for (std::uint64_t i = 0; i < count && !cursor.bad(); ++i) {
    auto& function = out.emplace_back();
    function.name = cursor.chunk().value_or("");
    function.letters = cursor.chunk().value_or("");
    const std::uint64_t flags = cursor.number();
    function.present = flags & 1;
    function.returns_text = flags & 2;
    if (function.name.empty() || function.letters.size() > kMostLetters ||
        function.letters.find_first_not_of("vhtioxsak") != std::string::npos)
      return false;
    function.known = known_as(function, i);
  }
  return !cursor.bad();
}

struct Segment {
  std::uint64_t generation, first_call;
  std::size_t offset, size;
};

// Segments in the order of their use.
std::vector<Segment> segments_of(const std::string& bytes, const FileHeader& header) {
  std::vector<Segment> out;
  for (std::size_t at = header.header_bytes; at + sizeof(SegmentHeader) <= bytes.size(); at += header.segment_bytes) {
    const auto head = value_at<SegmentHeader>(bytes, at);
    if (head.generation == 0) continue;
    out.push_back(
        {head.generation, head.first_call, at, std::min<std::size_t>(header.segment_bytes, bytes.size() - at)});
  }
  std::ranges::sort(out, {}, &Segment::generation);
  return out;
}

// Whole records up to the first that is not.
void add_records(const Recording& recording, const Segment& segment, std::uint64_t salt, std::vector<Record>& out) {
  std::uint64_t number = segment.first_call;
  for (std::size_t at = sizeof(SegmentHeader); at + kWordBytes <= segment.size;) {
    const auto word = value_at<std::uint64_t>(recording.bytes, segment.offset + at);
    const std::size_t size = size_of_record(word);
    if (word == 0 || size > segment.size - at - kWordBytes) return;
    const char* payload = recording.bytes.data() + segment.offset + at + kWordBytes;
    if (word != word_of(salt, segment.generation, at, reinterpret_cast<const unsigned char*>(payload), size)) return;
    out.push_back({number++, {payload, size}});
    at += kWordBytes + padded(size);
  }
}

bool good_header(const FileHeader& header, std::size_t size) {
  return std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 && header.segment_bytes > sizeof(SegmentHeader) &&
         header.segment_bytes % kWordBytes == 0 && header.header_bytes % kWordBytes == 0 &&
         header.header_bytes <= size && header.header_bytes >= sizeof header &&
         header.tables_bytes <= header.header_bytes - sizeof header;
}

// Skips the question of a record, or reads it.
bool read_question(Cursor& cursor, const Recording& recording, Call& out) {
  const std::uint64_t function = cursor.number();
  if (cursor.bad() || function >= recording.functions.size()) return false;
  out.function = function;
  for (const char letter : recording.functions[function].letters) {
    auto& value = out.arguments.emplace_back();
    value.word = cursor.number();
    if (is_read(letter)) value.in = cursor.chunk();
  }
  const std::uint64_t count = cursor.number();
  for (std::uint64_t i = 0; i < count && !cursor.bad(); ++i) {
    auto& nested = out.nested_in.emplace_back();
    nested.argument = cursor.number();
    nested.offset = cursor.number();
    nested.bytes = cursor.chunk();
  }
  return !cursor.bad();
}

bool read_call(Cursor& cursor, const Recording& recording, Call& out) {
  if (!read_question(cursor, recording, out)) return false;
  const Function& function = recording.functions[out.function];
  out.thread = static_cast<std::uint32_t>(cursor.number());
  out.start = cursor.number();
  out.duration = cursor.number();
  if (function.returns_text)
    out.text = cursor.chunk().value_or("");
  else
    out.result = static_cast<int>(unfolded(cursor.number()));
  for (std::size_t i = 0; i < function.letters.size(); ++i)
    if (is_written(function.letters[i])) out.arguments[i].out = cursor.chunk();
  const std::uint64_t count = cursor.number();
  for (std::uint64_t i = 0; i < count && !cursor.bad(); ++i) {
    auto& nested = out.nested_out.emplace_back();
    nested.argument = cursor.number();
    nested.offset = cursor.number();
    nested.bytes = cursor.chunk();
  }
  return !cursor.bad() && cursor.at_end();
}

}  // namespace

std::optional<Call> Recording::call(const Record& record) const {
  Call out;
  out.number = record.number;
  Cursor cursor(record.payload);
  if (!read_call(cursor, *this, out)) return std::nullopt;
  return out;
}

std::optional<Call> Recording::question(std::string_view payload) const {
  Call out;
  Cursor cursor(payload);
  if (!read_question(cursor, *this, out)) return std::nullopt;
  return out;
}

sim::Expected<Recording> parse(std::string bytes, const std::string& path) {
  const auto refuse = [&](const char* why) { return sim::fail(sim::unusable_file(path, why)); };
  if (bytes.size() < sizeof(FileHeader)) return refuse("is no recording of calls");
  const auto header = value_at<FileHeader>(bytes, 0);
  if (!good_header(header, bytes.size())) return refuse("is no recording of calls");
  if (header.format != kFormat)
    return refuse("is a recording of another format; read it with the nvmlkit that made it");
  Recording out;
  out.bytes = std::move(bytes);
  out.pid = header.pid;
  out.start_ns = header.start_ns;
  out.closed = header.closed != 0;
  out.written = header.calls;
  out.dropped = header.dropped;
  Cursor cursor(std::string_view(out.bytes).substr(sizeof header, header.tables_bytes));
  out.program = cursor.chunk().value_or("");
  out.library = cursor.chunk().value_or("");
  if (!read_functions(cursor, out.functions)) return refuse("has a broken list of functions");
  for (const Segment& segment : segments_of(out.bytes, header)) add_records(out, segment, header.salt, out.records);
  // The last record may be there before the header counts it.
  if (!out.records.empty()) out.written = std::max(out.written, out.records.back().number + 1);
  return out;
}

sim::Expected<Recording> read(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream && bytes.empty())
    return sim::fail(sim::unusable_file(path, errno ? std::strerror(errno) : "cannot be read"));
  return parse(std::move(bytes), path);
}

std::string_view question_of(const Recording& recording, std::string_view payload) {
  Cursor cursor(payload);
  Call call;
  if (!read_question(cursor, recording, call)) return {};
  return payload.substr(0, payload.size() - cursor.left());
}

}  // namespace nvmlkit::trace
