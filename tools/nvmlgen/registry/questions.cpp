#include "registry/questions.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <regex>
#include <set>

#include "registry/error.hpp"

namespace nvmlgen {
namespace {

using ChoiceNumbers = std::vector<std::pair<std::string, std::int64_t>>;

// Constants that count others.
bool counts(const std::string& name) { return name.ends_with("_COUNT") || name.ends_with("_MAX"); }

void add_constant(ChoiceNumbers& numbers, const std::string& name, std::int64_t value) {
  const auto same = [value](const auto& other) { return other.second == value; };
  if (!counts(name) && std::none_of(numbers.begin(), numbers.end(), same)) numbers.emplace_back(name, value);
}

ChoiceNumbers constants(const Facts& facts, const std::string& prefix_or_enum) {
  ChoiceNumbers out;
  if (const auto* one = facts.enumeration(prefix_or_enum)) {
    for (const auto& [name, value] : one->values) add_constant(out, name, value);
    return out;
  }
  for (const auto& constant : facts.constants)
    // NVML_GPU_INSTANCE_PROFILE_CAPS_P2P is a flag of what a profile can do.
    if (constant.name.starts_with(prefix_or_enum) && constant.name.compare(prefix_or_enum.size(), 5, "CAPS_") != 0)
      add_constant(out, constant.name, constant.number);
  return out;
}

class QuestionReader {
 public:
  QuestionReader(std::string file, const Facts& facts, const Semantics& semantics)
      : file_(std::move(file)), facts_(facts), semantics_(semantics) {}

  Questions read() {
    const auto root = YAML::LoadFile(file_);
    for (const auto& item : root["ask"]) {
      auto& choices = out_.ask[function(item.first).name];
      for (const auto& choice : item.second) choices.push_back(this->choice(function(item.first), choice));
    }
    for (const auto& item : root["skip"]) out_.skip[function(item.first).name] = item.second.as<std::string>();
    for (const auto& f : facts_.functions) gather(f);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& at, const std::string& message) const {
    throw RegistryError(file_ + ":" + std::to_string(at.Mark().line + 1), message);
  }

  const Function& function(const YAML::Node& name) const {
    const auto* found = facts_.function(name.as<std::string>());
    if (!found) fail(name, name.as<std::string>() + " is no function");
    return *found;
  }

  // A parameter, or a member of the struct behind it.
  bool argument(const Function& f, const std::string& name) const {
    const auto dot = name.find('.');
    const auto* p = f.find(name.substr(0, dot));
    if (!p || dot == std::string::npos) return p != nullptr;
    const auto* s = facts_.structure(p->base);
    return s && s->find(name.substr(dot + 1));
  }

  // FUNCTION.output
  std::string answer(const YAML::Node& node) const {
    const auto text = node.as<std::string>();
    const auto* f = facts_.function(text.substr(0, text.find('.')));
    if (!f) fail(node, "expected FUNCTION.output, got " + text);
    const auto output = text.substr(f->name.size() + 1);
    if (!f->find(output.substr(0, output.find('.')))) fail(node, f->name + " has no parameter " + output);
    return text;
  }

  Choice choice(const Function& f, const std::pair<YAML::Node, YAML::Node>& item) const {
    Choice out;
    out.argument = item.first.as<std::string>();
    if (!argument(f, out.argument)) fail(item.first, f.name + " has no " + out.argument);
    const auto& value = item.second;
    if (value.IsSequence()) {
      for (auto number = value[0].as<std::int64_t>(); number <= value[1].as<std::int64_t>(); ++number)
        out.numbers.emplace_back("", number);
    } else if (value.IsMap()) {
      out.kind = value["each"] ? Choice::Kind::each : Choice::Kind::below;
      out.from = answer(value["each"] ? value["each"] : value["below"]);
    } else if (value.as<std::string>() == "gpus") {
      out.kind = Choice::Kind::gpus;
    } else {
      out.numbers = constants(facts_, value.as<std::string>());
      if (out.numbers.empty()) fail(value, "no constant begins with " + value.as<std::string>());
    }
    return out;
  }

  void gather(const Function& f) {
    const auto& entry = semantics_.functions.at(f.name);
    const std::string effect = effect_of(f, entry);
    const auto asked = out_.ask.find(f.name);
    if (out_.skip.contains(f.name)) return;
    if (asked == out_.ask.end() && effect != "reads" && effect != "looks_up") return;
    std::vector<Choice> choices;
    for (const auto& p : f.params) {
      const auto& semantics = *entry.find(p.name);
      const auto before = choices.size();
      if (asked != out_.ask.end())
        for (const auto& choice : asked->second)
          if (choice.argument.substr(0, choice.argument.find('.')) == p.name) choices.push_back(choice);
      if (semantics.role != Role::in || choices.size() > before || p.name == "lastSeenTimeStamp") continue;
      ChoiceNumbers numbers = p.kind == Kind::enumeration     ? constants(facts_, p.base)
                              : semantics.enumeration.empty() ? ChoiceNumbers{}
                                                              : constants(facts_, semantics.enumeration);
      if (numbers.empty()) throw RegistryError(file_, f.name + ": nobody says what to ask for " + p.name);
      choices.push_back({p.name, Choice::Kind::numbers, std::move(numbers), {}});
    }
    out_.all.emplace(f.name, std::move(choices));
  }

  std::string file_;
  const Facts& facts_;
  const Semantics& semantics_;
  Questions out_;
};

}  // namespace

const char* effect_of(const Function& function, const FunctionSemantics& entry) {
  if (entry.file == "lifecycle") return "lifecycle";
  // Only what reads may be called by somebody who just looks around, so both the protocol and the name have to say it.
  static const std::regex reading("Get|Query|Is[A-Z]|Validate|OnSameBoard");
  static const std::regex unlike("^nvml(GpmM|GpmS|EventSet|SystemEventSet)|CPER|VgpuCompatibility");
  if (!std::regex_search(entry.name, reading) || std::regex_search(entry.name, unlike)) return "changes";
  switch (entry.call) {
    case Protocol::by_key:
      return "looks_up";
    case Protocol::create:
    case Protocol::destroy:
    case Protocol::set:
    case Protocol::action:
    case Protocol::wait:
      return "changes";
    default:
      break;
  }
  for (const auto& p : function.params)  // nvmlDeviceQueryDrainState names its GPU by a struct
    if (p.ptr > 0 && !entry.self() && entry.find(p.name)->role == Role::in) return "looks_up";
  return "reads";
}

Questions load_questions(const std::filesystem::path& file, const Facts& facts, const Semantics& semantics) {
  try {
    return QuestionReader(file.string(), facts, semantics).read();
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
}

}  // namespace nvmlgen
