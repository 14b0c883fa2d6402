#include "trace/player.hpp"

#include <algorithm>
#include <cstring>
#include <nvmlkit/generated/abi.hpp>
#include <optional>

#include "trace/encode.hpp"
#include "trace/text.hpp"

namespace nvmlkit::trace {
namespace {

std::size_t differing_bytes(const std::string& a, const std::string& b) {
  std::size_t count = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i];
  return count;
}

// In how many bytes two questions differ; nothing where they ask for different things.
std::optional<std::size_t> distance(const Function& function, const Call& a, const Call& b) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const Value &left = a.arguments[i], &right = b.arguments[i];
    if (left.word != right.word || left.in.has_value() != right.in.has_value()) return std::nullopt;
    if (left.in == right.in) continue;
    // Structs may hold leftovers behind their version, counts without an array may be left over as a whole.
    const bool count = function.letters[i] == 'x' && left.in->size() == sizeof(int) && right.in->size() == sizeof(int);
    const bool versions_differ = left.in->compare(0, sizeof(int), *right.in, 0, sizeof(int)) != 0;
    if (function.letters[i] != 'x' || (!count && versions_differ)) return std::nullopt;
    out += differing_bytes(*left.in, *right.in);
  }
  if (a.nested_in.size() != b.nested_in.size()) return std::nullopt;
  for (std::size_t i = 0; i < a.nested_in.size(); ++i)
    if (a.nested_in[i].bytes != b.nested_in[i].bytes) return std::nullopt;
  return out;
}

void copy_bytes(const std::string& bytes, unsigned char* to, std::size_t room) {
  std::memcpy(to, bytes.data(), std::min(bytes.size(), room));
}

}  // namespace

Player::Player(Recording recording, Order order, std::function<void(const std::string&)> outside)
    : recording_(std::move(recording)),
      order_(order),
      outside_(std::move(outside)),
      numbers_(function_count(), kAbsent) {
  for (std::uint32_t i = 0; i < recording_.functions.size(); ++i)
    if (const Function& function = recording_.functions[i]; function.known != SIZE_MAX && function.present)
      numbers_[function.known] = i;
  index();
}

void Player::index() {
  starts_.resize(recording_.records.size());
  questions_.resize(recording_.functions.size());
  for (std::uint32_t i = 0; i < recording_.records.size(); ++i) {
    const std::string_view payload = recording_.records[i].payload;
    const auto call = recording_.call(recording_.records[i]);
    if (!call) continue;
    starts_[i] = call->start;
    const auto question = question_of(recording_, payload);
    auto& series = series_[question];
    if (series.records.empty()) questions_[call->function].push_back(question);
    series.records.push_back(i);
  }
}

Player::Series* Player::exact(std::string_view question) {
  const auto found = series_.find(question);
  return found == series_.end() ? nullptr : &found->second;
}

Player::Series* Player::closest(const Call& question) {
  Series* best = nullptr;
  std::size_t least = SIZE_MAX;
  for (const std::string_view other : questions_[question.function]) {
    const auto recorded = recording_.question(other);
    const auto apart = recorded ? distance(recording_.functions[question.function], question, *recorded) : std::nullopt;
    if (!apart || *apart >= least) continue;
    least = *apart;
    best = exact(other);
  }
  return best;
}

std::uint32_t Player::pick(Series& series, std::uint64_t now) {
  const auto& records = series.records;
  if (order_ == Order::calls) {
    const std::uint32_t out = records[series.next];
    if (series.next + 1 < records.size()) ++series.next;
    return out;
  }
  const std::uint64_t time = starts_.front() + (now - first_call_);
  const auto later = std::ranges::upper_bound(records, time, {}, [this](std::uint32_t i) { return starts_[i]; });
  return later == records.begin() ? records.front() : *(later - 1);
}

void Player::apply_nested(const Call& call, const Before& before) {
  for (const Pointer& pointer : before.shape().pointers)
    for (std::size_t k = 0; k < before.holders(pointer); ++k) {
      auto* place = at_word<unsigned char>(before.words()[pointer.argument]) + Before::place(pointer, k);
      const auto found = std::ranges::find_if(call.nested_out, [&](const Nested& nested) {
        return nested.argument == pointer.argument && nested.offset == Before::place(pointer, k) && nested.bytes;
      });
      const bool there = found != call.nested_out.end();
      if (pointer.kind == PointerKind::text_out) {
        const char* text = there ? lasting(*found->bytes) : nullptr;
        std::memcpy(place, &text, sizeof text);
      } else if (pointer.kind == PointerKind::array && there) {
        unsigned char* target = nullptr;
        std::memcpy(&target, place, sizeof target);
        if (target) copy_bytes(*found->bytes, target, before.nested_room(pointer));
      }
    }
}

Word Player::apply(const Call& call, const Before& before) {
  const Shape& function = before.shape();
  bool room_for_all = true;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const auto& out = call.arguments[i].out;
    auto* bytes = at_word<unsigned char>(before.words()[i]);
    const Argument& argument = function.arguments[i];
    if (!out || !bytes || argument.kind < ArgumentKind::output) continue;
    const bool counted = argument.length >= 0 &&
                         function.arguments[static_cast<std::size_t>(argument.length)].kind != ArgumentKind::output;
    const bool array = argument.kind == ArgumentKind::array || argument.kind == ArgumentKind::keyed_array;
    const std::size_t room = argument.kind == ArgumentKind::inout ? before.struct_size(i)
                             : counted                            ? before.room(i) * argument.size
                             : argument.length >= 0               ? out->size()
                                                                  : argument.size;
    if (array && out->size() > room) {
      room_for_all = false;
      continue;
    }
    // Pointers inside a struct stay those of the caller.
    std::vector<std::pair<std::size_t, Word>> kept;
    for (const Pointer& pointer : function.pointers)
      for (std::size_t k = 0; pointer.argument == i && k < before.holders(pointer); ++k) {
        Word word = 0;
        std::memcpy(&word, bytes + Before::place(pointer, k), sizeof word);
        kept.emplace_back(Before::place(pointer, k), word);
      }
    copy_bytes(*out, bytes, room);
    for (const auto& [offset, word] : kept) std::memcpy(bytes + offset, &word, sizeof word);
  }
  apply_nested(call, before);
  return room_for_all ? static_cast<Word>(static_cast<std::intptr_t>(call.result))
                      : Word{abi::NVML_ERROR_INSUFFICIENT_SIZE};
}

Reply Player::answer(std::size_t function, const Word* words, std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  if (first_call_ == 0) first_call_ = now;
  const Shape& form = shape(function);
  Reply out;
  out.result = form.returns_text ? reinterpret_cast<Word>("Unknown Error") : Word{abi::NVML_ERROR_UNKNOWN};
  Encoder encoder(numbers_[function], form, words);
  encoder.question();
  const auto bytes = encoder.bytes();
  const std::string_view question(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto asked = recording_.question(question);
  Series* series = exact(question);
  out.match = series ? Match::exact : Match::close;
  if (!series && asked) series = closest(*asked);
  const auto call = series ? recording_.call(recording_.records[pick(*series, now)]) : std::nullopt;
  // Success without the memory that it wrote is no answer.
  if (!call || (!form.followed && call->result == 0)) {
    out.match = Match::outside;
    if (outside_ && asked) outside_(question_text(recording_, *asked));
    return out;
  }
  out.wall_ns = recording_.start_ns + call->start + call->duration;
  if (form.waits) out.waited = call->duration;
  if (form.returns_text) {
    out.result = reinterpret_cast<Word>(lasting(call->text));
    return out;
  }
  if (function == export_table_function()) {
    out.result = static_cast<Word>(static_cast<std::intptr_t>(call->result));
    out.first_output = call->arguments.front().out.value_or("");
    return out;
  }
  out.result = apply(*call, encoder.before());
  return out;
}

}  // namespace nvmlkit::trace
