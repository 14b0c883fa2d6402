#include "registry/semantics.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "registry/error.hpp"
#include "registry/holes.hpp"

namespace nvmlgen {
namespace {

template <class T>
struct Word {
  const char* word;
  T value;
};

constexpr Word<Protocol> kProtocols[] = {{"scalar", Protocol::scalar},
                                         {"structure", Protocol::structure},
                                         {"string", Protocol::string},
                                         {"string_inout", Protocol::string_inout},
                                         {"count_probe", Protocol::count_probe},
                                         {"count_zero_ok", Protocol::count_zero_ok},
                                         {"count_known", Protocol::count_known},
                                         {"fixed_array", Protocol::fixed_array},
                                         {"struct_array", Protocol::struct_array},
                                         {"by_index", Protocol::by_index},
                                         {"by_key", Protocol::by_key},
                                         {"create", Protocol::create},
                                         {"destroy", Protocol::destroy},
                                         {"set", Protocol::set},
                                         {"action", Protocol::action},
                                         {"wait", Protocol::wait},
                                         {"manual", Protocol::manual}};

constexpr Word<Role> kRoles[] = {{"self", Role::self},   {"in", Role::in},       {"out", Role::out},
                                 {"inout", Role::inout}, {"array", Role::array}, {"length", Role::length}};

constexpr Word<Answer> kAnswers[] = {
    {"read", Answer::read}, {"code", Answer::code}, {"unsupported", Answer::unsupported}, {"later", Answer::later}};

// Reads one entry; every error names file:line.
class EntryReader {
 public:
  explicit EntryReader(std::string file) : file_(std::move(file)) {}

  FunctionSemantics read(const std::string& name, const YAML::Node& node) {
    FunctionSemantics f;
    f.name = name;
    for (const auto& item : node) {
      const auto key = item.first.as<std::string>();
      const auto& value = item.second;
      if (key == "doc")
        f.doc = text(value);
      else if (key == "on")
        f.on = text(value);
      else if (key == "as")
        f.as = text(value);
      else if (key == "provisional")
        f.provisional = text(value);
      else if (key == "call")
        f.call = word(kProtocols, value, "protocol");
      else if (key == "why")
        f.why = text(value);
      else if (key == "params")
        f.params = params(value);
      else if (key == "chain")
        f.chain = list(value);
      else if (key == "chained_by")
        f.chained_by = text(value);
      else if (key == "older_means")
        f.older_means = value.as<std::map<std::string, std::string>>();
      else if (key == "versions")
        f.versions = list(value);
      else if (key == "success")
        f.success = list(value);
      else if (key == "root")
        f.root = value.as<bool>();
      else if (key == "restricted_by")
        f.restricted_by = text(value);
      else if (key == "before_init")
        f.before_init = value.as<bool>();
      else if (key == "on_mig")
        f.on_mig = text(value);
      else if (key == "in_mig_mode")
        f.in_mig_mode = text(value);
      else if (key == "needs_after")
        f.needs_after = list(value);
      else if (key == "needs")
        f.needs = text(value);
      else if (key == "mismatch")
        f.mismatch = text(value);
      else if (key == "since")
        f.since = text(value);
      else if (key == "sim")
        f.sim = simulation(value);
      else
        fail(item.first, "unknown key '" + key + "'");
    }
    check(f, node);
    return f;
  }

 private:
  void check(const FunctionSemantics& f, const YAML::Node& node) const {
    if (!f.provisional.empty() && !f.as.empty())
      fail(node["as"], f.name + " is provisional, so that it has no method: remove `as`");
    if (f.doc.empty() || f.on.empty() || (f.as.empty() && f.provisional.empty()))
      fail(node, f.name + " needs doc, on and as");
    if (f.call == Protocol::manual && f.why.empty()) fail(node, f.name + " is manual and gives no reason (why)");
    if (!node["sim"])
      fail(node, f.name + " has no sim; add read, code, unsupported or later (docs/internals/registry.md)");
  }

  [[noreturn]] void fail(const YAML::Node& at, const std::string& what) const {
    throw RegistryError(file_ + ":" + std::to_string(at.Mark().line + 1), what);
  }

  std::string text(const YAML::Node& node) const {
    if (!node.IsScalar()) fail(node, "expected a text");
    return node.as<std::string>();
  }

  std::vector<std::string> list(const YAML::Node& node) const {
    if (!node.IsSequence()) fail(node, "expected a list");
    return node.as<std::vector<std::string>>();
  }

  template <class T, std::size_t N>
  T word(const Word<T> (&words)[N], const YAML::Node& node, const char* what) const {
    const auto given = text(node);
    for (const auto& w : words)
      if (given == w.word) return w.value;
    fail(node, std::string("unknown ") + what + " '" + given + "'");
  }

  std::vector<ParamSemantics> params(const YAML::Node& node) const {
    std::vector<ParamSemantics> out;
    for (const auto& item : node) {
      ParamSemantics p;
      p.name = item.first.as<std::string>();
      if (item.second.IsScalar()) {
        p.role = word(kRoles, item.second, "role");
      } else {
        for (const auto& attribute : item.second) {
          const auto key = attribute.first.as<std::string>();
          if (key == "role")
            p.role = word(kRoles, attribute.second, "role");
          else if (key == "length")
            p.length = text(attribute.second);
          else if (key == "unit")
            p.unit = text(attribute.second);
          else if (key == "absent")
            p.absent = text(attribute.second);
          else if (key == "enum")
            p.enumeration = text(attribute.second);
          else if (key == "also")
            p.also = text(attribute.second);
          else if (key == "unknown")
            p.unknown = text(attribute.second);
          else if (key == "missing")
            p.missing = text(attribute.second);
          else if (key == "capacity")
            p.capacity = text(attribute.second);
          else if (key == "size")
            p.size = attribute.second.as<std::size_t>();
          else if (key == "optional")
            p.optional = attribute.second.as<bool>();
          else
            fail(attribute.first, "unknown key '" + key + "' of parameter " + p.name);
        }
      }
      out.push_back(std::move(p));
    }
    return out;
  }

  Simulation simulation(const YAML::Node& node) const {
    Simulation sim;
    bool answered = false;
    for (const auto& item : node) {
      const auto key = item.first.as<std::string>();
      const auto& value = item.second;
      if (key == "result") {
        sim.result = text(value);
        continue;
      }
      if (key == "writes") {
        sim.writes = list(value);
        continue;
      }
      if (key == "by" || key == "with") {
        (key == "by" ? sim.by : sim.with) = text(value);
        continue;
      }
      if (answered) fail(item.first, "one answer only: read, code, unsupported or later");
      answered = true;
      sim.answer = word(kAnswers, item.first, "answer");
      if (sim.answer == Answer::read) {
        for (const auto& pair : value) sim.read[pair.first.as<std::string>()] = text(pair.second);
      } else if (sim.answer == Answer::code) {
        sim.reads = list(value);
      } else {
        sim.reason = text(value);
      }
    }
    if (!answered) fail(node, "no answer: read, code, unsupported or later");
    const bool refuses = sim.answer == Answer::unsupported || sim.answer == Answer::later;
    if (refuses == sim.result.empty()) fail(node, "unsupported and later give a result; read and code do not");
    if (!sim.by.empty() && sim.answer != Answer::code) fail(node, "by names a function, so that the answer is code");
    if (!sim.with.empty() && sim.by.empty()) fail(node, "with is an argument of the function that `by` names");
    return sim;
  }

  std::string file_;
};

}  // namespace

const ParamSemantics* FunctionSemantics::find(const std::string& param) const {
  const auto it = std::find_if(params.begin(), params.end(), [&](const auto& p) { return p.name == param; });
  return it == params.end() ? nullptr : &*it;
}

const ParamSemantics* FunctionSemantics::self() const {
  const auto it = std::find_if(params.begin(), params.end(), [](const auto& p) { return p.role == Role::self; });
  return it == params.end() ? nullptr : &*it;
}

Semantics load_semantics(const std::filesystem::path& directory, const Facts& facts) {
  Semantics semantics;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    YAML::Node document;
    try {
      document = YAML::LoadFile(path.string());
    } catch (const YAML::Exception& e) {
      throw RegistryError(path.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
    }
    EntryReader reader(path.string());
    for (const auto& item : document) {
      const auto name = item.first.as<std::string>();
      FunctionSemantics entry;
      try {
        entry = reader.read(name, item.second);
      } catch (const YAML::Exception& e) {
        throw RegistryError(path.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
      }
      entry.file = path.stem().string();
      if (!semantics.functions.emplace(name, std::move(entry)).second)
        throw RegistryError(path.string() + ":" + std::to_string(item.first.Mark().line + 1), name + " stands twice");
    }
    semantics.files.push_back(path.stem().string());
  }
  refuse_holes(facts, semantics);
  return semantics;
}

const char* to_string(Protocol protocol) {
  for (const auto& w : kProtocols)
    if (w.value == protocol) return w.word;
  return "?";
}

const char* to_string(Answer answer) {
  for (const auto& w : kAnswers)
    if (w.value == answer) return w.word;
  return "?";
}

}  // namespace nvmlgen
