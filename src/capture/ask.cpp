#include "capture/ask.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nvmlkit/error.hpp>
#include <nvmlkit/interpose/hook.hpp>

namespace nvmlkit::capture {
namespace {

using nvml::interpose::ArgumentKind;
using nvml::interpose::Word;

constexpr std::uint32_t kRoom = 64;        // elements, and bytes of the few buffers that count bytes
constexpr std::uint32_t kTextRoom = 512;   // longer than any text
constexpr std::uint32_t kKnownRoom = 512;  // elements where the driver asks for no count
constexpr int kInsufficientSize = 7;

// The pieces of an answer at a path; a list on the way means each of its items.
void collect(const Json& answer, std::string_view path, std::vector<Json>& out) {
  if (answer.is_array()) {
    for (const auto& item : answer) collect(item, path, out);
  } else if (path.empty()) {
    if (std::find(out.begin(), out.end(), answer) == out.end()) out.push_back(answer);
  } else if (answer.is_object()) {
    const auto dot = path.find('.');
    const auto member = answer.find(std::string(path.substr(0, dot)));
    if (member != answer.end())
      collect(*member, dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1), out);
  }
}

}  // namespace

// The arguments of one call, and the memory behind them.
class Asker::Call {
 public:
  Call(const Question& question, std::uintptr_t self, const Version* version)
      : question_(question), signature_(nvml::interpose::signatures()[question.symbol]) {
    const auto arguments = signature_.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& argument = arguments[i];
      if (static_cast<int>(i) == question.self) words_[i] = self;
      if (argument.kind == ArgumentKind::value || argument.kind == ArgumentKind::handle) continue;
      shapes_[i] = question.shapes[i];
      const bool versioned = version != nullptr && shapes_[i].form == Form::structure && argument.length < 0;
      if (versioned && version->layout >= 0)
        shapes_[i] = {Form::structure, layouts()[version->layout].size, version->layout};
      const auto layout = shapes_[i].form == Form::structure ? shapes_[i].layout : -1;
      auto& buffer = structs_[i].emplace_back(shapes_[i], layout, kRoom);
      if (versioned) buffer.put(0, sizeof version->tag, version->tag);
      words_[i] = reinterpret_cast<Word>(buffer.data());
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].length < 0) continue;
      const auto& length = arguments[static_cast<std::size_t>(arguments[i].length)];
      room_ = arguments[i].kind == ArgumentKind::text_out ? kTextRoom
              : length.kind == ArgumentKind::output       ? kKnownRoom
                                                          : kRoom;
      give_room();
    }
    // nvmlSystemGetDriverBranch: the length of the text inside its struct.
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (std::string_view(arguments[i].name) == "length" && words_[i] == 0) words_[i] = 80;
  }

  void choose(const Choice& choice, const Value& value) {
    if (choice.size > 0)
      structs_[choice.argument].front().put(choice.offset, choice.size, value.word);
    else if (signature_.arguments[choice.argument].kind == ArgumentKind::text)
      words_[choice.argument] = reinterpret_cast<Word>(value.text.c_str());
    else
      words_[choice.argument] = value.word;
  }

  int invoke(const nvml::Table& table) {
    for (int tries = 0;; ++tries) {
      const auto code = static_cast<int>(nvml::interpose::invoke(table, question_.symbol, words_.data()));
      if (code != kInsufficientSize || tries == 4 || !grow()) return code;
    }
  }

  Json outputs(const HandleNames& names) const {
    Json out = Json::object();
    const auto arguments = signature_.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& argument = arguments[i];
      const auto* at = reinterpret_cast<const std::byte*>(words_[i]);
      const auto& shape = shapes_[i];
      switch (argument.kind) {
        case ArgumentKind::output:
        case ArgumentKind::inout:
          out[argument.name] = read_value(shape, at, std::min<std::size_t>(shape.size, argument.size), names);
          if (shape.form == Form::structure && shape.size != argument.size)  // another version than the newest
            out[argument.name] = read_value(shape, at, shape.size, names);
          break;
        case ArgumentKind::text_out:
          out[argument.name] = read_value(shape, at, argument.length < 0 ? argument.size : kTextRoom, names);
          break;
        case ArgumentKind::array:
        case ArgumentKind::keyed_array:
          out[argument.name] = array(i, names);
          break;
        default:
          break;
      }
    }
    return out;
  }

 private:
  std::uint32_t length_of(std::size_t i) const {
    const auto at = static_cast<std::size_t>(signature_.arguments[i].length);
    if (signature_.arguments[at].kind == ArgumentKind::value) return static_cast<std::uint32_t>(words_[at]);
    std::uint32_t count = 0;
    std::memcpy(&count, reinterpret_cast<const void*>(words_[at]), sizeof count);
    return count;
  }

  // As many elements as room_, and the length that says so.
  void give_room() {
    const auto arguments = signature_.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].length < 0) continue;
      // Some drivers write longer elements than the header has.
      buffers_[i].assign(2 * std::size_t{room_} * std::max<std::size_t>(arguments[i].size, 8), std::byte{});
      words_[i] = reinterpret_cast<Word>(buffers_[i].data());
      const auto at = static_cast<std::size_t>(arguments[i].length);
      if (arguments[at].kind == ArgumentKind::value)
        words_[at] = room_;
      else
        structs_[at].front().put(0, sizeof room_, room_);
    }
  }

  bool grow() {
    bool grown = false;
    for (auto& list : structs_)
      for (auto& buffer : list) grown = buffer.grow() || grown;
    for (std::size_t i = 0; i < signature_.arguments.size(); ++i) {
      if (signature_.arguments[i].length < 0) continue;
      const auto wanted = length_of(i);
      if (wanted <= room_ || wanted > (1u << 20)) continue;
      room_ = wanted;
      grown = true;
    }
    if (grown) give_room();
    return grown;
  }

  Json array(std::size_t i, const HandleNames& names) const {
    const auto& argument = signature_.arguments[i];
    const auto& shape = shapes_[i];
    const auto* at = buffers_[i].data();
    const auto length = std::min(length_of(i), room_);
    if (argument.size == 1 && shape.form == Form::structure) return read_value(shape, at, length, names);
    Json out = Json::array();
    const auto count = argument.size == 1 ? length / std::max(shape.size, 1u) : length;
    const auto step = argument.size == 1 ? shape.size : argument.size;
    for (std::uint32_t element = 0; element < count; ++element)
      out.push_back(read_value(shape, at + std::size_t{element} * step, step, names));
    return out;
  }

  static constexpr std::size_t kArguments = 8;
  const Question& question_;
  const nvml::interpose::Signature& signature_;
  std::array<Word, kArguments> words_{};
  std::array<Shape, kArguments> shapes_{};
  std::array<std::vector<StructBuffer>, kArguments> structs_;  // one or none
  std::array<std::vector<std::byte>, kArguments> buffers_;     // of arguments with a length
  std::uint32_t room_ = kRoom;
};

std::string Asker::code_name(int code) {
  std::string name = nvml::name_of(static_cast<nvml::Errc>(code));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

// What answers told at FUNCTION.output: those of the object, or of all where it has none.
std::vector<Json> Asker::told(const char* from, std::size_t object) const {
  const std::string_view text(from);
  const auto function = text.substr(0, text.find('.'));
  const auto path = text.substr(function.size() + 1);
  std::vector<Json> out;
  const auto look = [&](const Object& at) {
    bool any = false;
    for (auto answer = at.answers.lower_bound(std::string(function)); answer != at.answers.end(); ++answer) {
      if (!answer->first.starts_with(function)) break;
      if (answer->first.size() > function.size() && answer->first[function.size()] != '(') continue;
      any = true;
      if (succeeded(&answer->second)) collect(answer->second, path, out);
    }
    return any;
  };
  const auto& own = answers_.objects[object];
  if (look(own) || own.subject == Subject::device) return out;
  for (const auto& other : answers_.objects) look(other);
  return out;
}

std::vector<Asker::Value> Asker::values(const Choice& choice, std::size_t object) const {
  std::vector<Value> out;
  switch (choice.kind) {
    case Choice::Kind::numbers:
      for (const auto& number : choice.numbers)
        out.push_back(
            {static_cast<std::uint64_t>(number.value), {}, *number.name ? number.name : std::to_string(number.value)});
      break;
    case Choice::Kind::each:
      for (const auto& value : told(choice.from, object)) {
        if (value.is_string())
          out.push_back({0, value.get<std::string>(), value.get<std::string>()});
        else if (value.is_number())
          out.push_back({value.get<std::uint64_t>(), {}, std::to_string(value.get<std::uint64_t>())});
      }
      break;
    case Choice::Kind::below:
      for (const auto& value : told(choice.from, object))
        for (std::uint64_t number = out.size(); value.is_number() && number < value.get<std::uint64_t>(); ++number)
          out.push_back({number, {}, std::to_string(number)});
      break;
    case Choice::Kind::gpus:
      for (const auto* gpu : answers_.gpus())
        if (gpu->handle != 0) out.push_back({gpu->handle, {}, gpu->name});
      break;
  }
  return out;
}

void Asker::ask(const Question& question, std::size_t object) {
  std::vector<Value> chosen;
  choose(question, object, chosen);
}

void Asker::choose(const Question& question, std::size_t object, std::vector<Value>& chosen) {
  if (chosen.size() == question.choices.size()) return put_down(question, object, chosen);
  for (auto& value : values(question.choices[chosen.size()], object)) {
    chosen.push_back(std::move(value));
    choose(question, object, chosen);
    chosen.pop_back();
  }
}

void Asker::put_down(const Question& question, std::size_t object, const std::vector<Value>& chosen) {
  std::string name = nvml::symbols()[question.symbol].name;
  for (std::size_t i = 0; i < chosen.size(); ++i) name += (i == 0 ? "(" : ", ") + chosen[i].shown;
  if (!chosen.empty()) name += ")";
  const std::size_t versions = std::max<std::size_t>(question.versions.size(), 1);
  for (std::size_t v = 0; v < versions; ++v) {
    const Version* version = question.versions.empty() ? nullptr : &question.versions[v];
    Call call(question, answers_.objects[object].handle, version);
    for (std::size_t i = 0; i < chosen.size(); ++i) call.choose(question.choices[i], chosen[i]);
    const int code = call.invoke(table_);
    Json answer = code == 0 ? call.outputs(names_) : Json{{"error", code_name(code)}};
    // Older versions say which they are.
    const auto suffix = v == 0 ? std::string() : " version " + std::to_string(version->tag >> 24);
    answers_.objects[object].answers.insert_or_assign(name + suffix, std::move(answer));
  }
}

}  // namespace nvmlkit::capture
