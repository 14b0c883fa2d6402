#include "bindings/call_memory/answer.hpp"

#include <algorithm>
#include <cstring>
#include <nvmlkit/generated/abi.hpp>
#include <utility>

namespace nvmlkit::nvml::interpose {
namespace {

void copy_bytes(const std::string& bytes, unsigned char* to, std::size_t room) {
  std::memcpy(to, bytes.data(), std::min(bytes.size(), room));
}

// Bytes that there is room for behind an argument.
std::size_t room_behind(const Before& before, std::size_t i, std::size_t given) {
  const Argument& argument = before.shape().arguments[i];
  if (argument.kind == ArgumentKind::inout) return before.struct_size(i);
  if (argument.length < 0) return argument.size;
  const auto& length = before.shape().arguments[static_cast<std::size_t>(argument.length)];
  return length.kind == ArgumentKind::output ? given : before.room(i) * argument.size;
}

// Pointers inside the struct stay those of the caller.
void copy_struct(const std::string& from, const Before& before, std::size_t i, std::size_t room) {
  auto* bytes = at_word<unsigned char>(before.words()[i]);
  std::vector<std::pair<std::size_t, Word>> kept;
  for (const Pointer& pointer : before.shape().pointers)
    for (std::size_t k = 0; pointer.argument == i && k < before.holders(pointer); ++k) {
      Word word = 0;
      std::memcpy(&word, bytes + Before::place(pointer, k), sizeof word);
      kept.emplace_back(Before::place(pointer, k), word);
    }
  copy_bytes(from, bytes, room);
  for (const auto& [offset, word] : kept) std::memcpy(bytes + offset, &word, sizeof word);
}

void give_nested(const Answer& answer, const Before& before, const LastingText& lasting) {
  for (const Pointer& pointer : before.shape().pointers)
    for (std::size_t k = 0; k < before.holders(pointer); ++k) {
      auto* place = at_word<unsigned char>(before.words()[pointer.argument]) + Before::place(pointer, k);
      const auto found = std::ranges::find_if(answer.nested, [&](const NestedBytes& nested) {
        return nested.argument == pointer.argument && nested.offset == Before::place(pointer, k);
      });
      const bool there = found != answer.nested.end();
      if (pointer.kind == PointerKind::text_out) {
        const char* text = there ? lasting(found->bytes) : nullptr;
        std::memcpy(place, &text, sizeof text);
      } else if (pointer.kind == PointerKind::array && there) {
        unsigned char* target = nullptr;
        std::memcpy(&target, place, sizeof target);
        if (target) copy_bytes(found->bytes, target, before.nested_room(pointer));
      }
    }
}

}  // namespace

Word give(const Answer& answer, const Before& before, const LastingText& lasting) {
  const auto arguments = before.shape().arguments;
  bool room_for_all = true;
  for (std::size_t i = 0; i < arguments.size() && i < answer.out.size(); ++i) {
    const auto& out = answer.out[i];
    const ArgumentKind kind = arguments[i].kind;
    if (!out || before.words()[i] == 0 || kind < ArgumentKind::output) continue;
    const std::size_t room = room_behind(before, i, out->size());
    if ((kind == ArgumentKind::array || kind == ArgumentKind::keyed_array) && out->size() > room)
      room_for_all = false;
    else
      copy_struct(*out, before, i, room);
  }
  give_nested(answer, before, lasting);
  return room_for_all ? static_cast<Word>(static_cast<std::intptr_t>(answer.result))
                      : Word{abi::NVML_ERROR_INSUFFICIENT_SIZE};
}

}  // namespace nvmlkit::nvml::interpose
