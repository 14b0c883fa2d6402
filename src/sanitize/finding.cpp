#include "sanitize/finding.hpp"

#include <algorithm>

#include "sanitize/fields.hpp"

namespace nvmlkit::sanitize {
namespace {

void add_stack(std::string& out, std::string_view name, const std::vector<HostFrame>& frames) {
  for (const auto& frame : frames) {
    add_field(out, name, frame.module);
    add_field(out, "offset", frame.offset);
    add_field(out, "function", frame.function);
    if (frame.file.empty()) continue;
    add_field(out, "source", frame.file);
    add_field(out, "source.line", frame.line);
  }
}

void add_place(std::string& out, const DevicePlace& place) {
  add_field(out, "place", place.function);
  add_field(out, "place.offset", place.offset);
  add_field(out, "place.file", place.file);
  add_field(out, "place.line", place.line);
  add_field(out, "place.ptx_line", place.ptx_line);
  add_field(out, "place.instruction", place.instruction);
}

void add_nearest(std::string& out, const Nearest& nearest) {
  add_field(out, "relation", static_cast<std::uint64_t>(nearest.relation));
  add_field(out, "distance", nearest.distance);
  add_field(out, "start", nearest.start);
  add_field(out, "room", nearest.size);
  add_field(out, "variable", nearest.variable);
  add_stack(out, "allocated", nearest.allocated);
  add_stack(out, "freed", nearest.freed);
}

void add_side(std::string& out, const Side& side) {
  add_field(out, "side", side.text);
  add_field(out, "side.touch", static_cast<std::uint64_t>(side.touch));
  add_field(out, "side.kernel", side.kernel);
  for (const auto number : side.thread) add_field(out, "side.thread", number);
  for (const auto number : side.block) add_field(out, "side.block", number);
  for (const auto& place : side.places) add_place(out, place);
  add_stack(out, "host", side.host);
}

// One after the other, as they are written.
class Reader {
 public:
  explicit Reader(Finding& out) : out_(out) {}

  void take(const Field& f) {
    if (of_side(f) || of_stack(f) || of_place(f) || of_nearest(f)) return;
    const auto number = f.number();
    if (f.name == "kind") out_.kind = static_cast<Kind>(number);
    if (f.name == "memory") out_.place = static_cast<Place>(number);
    if (f.name == "touch") out_.touch = static_cast<Touch>(number);
    if (f.name == "process") out_.process = number;
    if (f.name == "count") out_.count = number;
    if (f.name == "size") out_.size = number;
    if (f.name == "address") out_.address = number;
    if (f.name == "kernel") out_.kernel = f.value;
    if (f.name == "thread" && threads_ < 3) out_.thread[threads_++] = number;
    if (f.name == "block" && blocks_ < 3) out_.block[blocks_++] = number;
    if (f.name == "call") out_.call = f.value;
    if (f.name == "error_name") out_.error_name = f.value;
    if (f.name == "text") out_.text = f.value;
    if (f.name == "error") out_.error = number;
    if (f.name == "heap") out_.is_of_heap = number != 0;
    if (f.name == "severity") out_.severity = static_cast<Severity>(number);
  }

 private:
  // Sides are the last fields of a record; places and stacks behind one belong to it.
  bool of_side(const Field& f) {
    if (!f.name.starts_with("side")) return false;
    if (f.name == "side") {
      out_.sides.emplace_back().text = f.value;
      threads_ = blocks_ = 0;
      last_ = nullptr;
    }
    if (out_.sides.empty()) return true;
    auto& side = out_.sides.back();
    if (f.name == "side.touch") side.touch = static_cast<Touch>(f.number());
    if (f.name == "side.kernel") side.kernel = f.value;
    if (f.name == "side.thread" && threads_ < 3) side.thread[threads_++] = f.number();
    if (f.name == "side.block" && blocks_ < 3) side.block[blocks_++] = f.number();
    return true;
  }
  std::vector<DevicePlace>& places() { return out_.sides.empty() ? out_.places : out_.sides.back().places; }
  bool of_stack(const Field& f) {
    auto* const stack = f.name == "host"        ? &(out_.sides.empty() ? out_.host : out_.sides.back().host)
                        : f.name == "allocated" ? &out_.nearest.allocated
                        : f.name == "freed"     ? &out_.nearest.freed
                                                : nullptr;
    if (stack) {
      stack->push_back({.module = f.value, .function = {}, .file = {}});
      last_ = stack;
      return true;
    }
    if (!last_) return false;
    auto& frame = last_->back();
    if (f.name == "offset")
      frame.offset = f.number();
    else if (f.name == "function")
      frame.function = f.value;
    else if (f.name == "source")
      frame.file = f.value;
    else if (f.name == "source.line")
      frame.line = f.number();
    else
      return false;
    return true;
  }
  bool of_place(const Field& f) {
    if (!f.name.starts_with("place")) return false;
    if (f.name == "place") places().push_back({f.value, 0, {}, 0, 0, {}});
    if (places().empty()) return true;
    auto& place = places().back();
    if (f.name == "place.offset") place.offset = f.number();
    if (f.name == "place.file") place.file = f.value;
    if (f.name == "place.line") place.line = f.number();
    if (f.name == "place.ptx_line") place.ptx_line = f.number();
    if (f.name == "place.instruction") place.instruction = f.value;
    return true;
  }
  bool of_nearest(const Field& f) {
    auto& nearest = out_.nearest;
    if (f.name == "relation") nearest.relation = static_cast<Nearest::Relation>(f.number());
    if (f.name == "distance") nearest.distance = f.number();
    if (f.name == "start") nearest.start = f.number();
    if (f.name == "room") nearest.size = f.number();
    if (f.name == "variable") nearest.variable = f.value;
    return f.name == "relation" || f.name == "distance" || f.name == "start" || f.name == "room" ||
           f.name == "variable";
  }

  Finding& out_;
  std::vector<HostFrame>* last_ = nullptr;
  unsigned threads_ = 0, blocks_ = 0;
};

}  // namespace

std::string Finding::key() const {
  std::string out = std::to_string(static_cast<int>(kind)) + '/' + std::to_string(process) + '/' + kernel;
  if (kind == Kind::leak || kind == Kind::unused_memory) return out + '/' + std::to_string(address);
  if (!places.empty()) out += '/' + places[0].function + '/' + std::to_string(places[0].offset);
  std::vector<std::string> others;
  for (const auto& side : sides)
    if (!side.places.empty())
      others.push_back('/' + side.places[0].function + '/' + std::to_string(side.places[0].offset));
    else if (!side.host.empty())
      others.push_back('/' + side.host[0].module + '/' + std::to_string(side.host[0].offset));
  std::ranges::sort(others);  // which access of a race came first says nothing
  for (const auto& other : others) out += other;
  out += '/' + call + '/' + error_name + '/' + text;
  for (const auto& frame : host) out += '/' + frame.module + std::to_string(frame.offset);
  return out;
}

std::string record_of(const Finding& f) {
  std::string out;
  add_field(out, "kind", static_cast<std::uint64_t>(f.kind));
  add_field(out, "memory", static_cast<std::uint64_t>(f.place));
  add_field(out, "touch", static_cast<std::uint64_t>(f.touch));
  add_field(out, "process", f.process);
  add_field(out, "count", f.count);
  add_field(out, "size", f.size);
  add_field(out, "address", f.address);
  add_field(out, "kernel", f.kernel);
  for (const auto& place : f.places) add_place(out, place);
  for (const auto number : f.thread) add_field(out, "thread", number);
  for (const auto number : f.block) add_field(out, "block", number);
  add_nearest(out, f.nearest);
  add_field(out, "call", f.call);
  add_field(out, "error_name", f.error_name);
  add_field(out, "text", f.text);
  add_field(out, "error", f.error);
  add_field(out, "heap", f.is_of_heap ? 1 : 0);
  add_field(out, "severity", static_cast<std::uint64_t>(f.severity));
  add_stack(out, "host", f.host);
  for (const auto& side : f.sides) add_side(out, side);
  return out + '\n';
}

bool read_record(std::string_view& text, Finding& out) {
  const auto end = text.find("\n\n");
  if (end == text.npos) return false;
  auto record = text.substr(0, end + 1);
  text.remove_prefix(end + 2);
  out = {};
  Reader reader(out);
  for (Field field; next_field(record, field);) reader.take(field);
  return true;
}

}  // namespace nvmlkit::sanitize
