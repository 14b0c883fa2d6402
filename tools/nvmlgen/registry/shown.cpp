#include <yaml-cpp/yaml.h>

#include "registry/error.hpp"
#include "registry/questions.hpp"

namespace nvmlgen {
namespace {

class ShownReader {
 public:
  ShownReader(std::string file, const Facts& facts, const Model& model)
      : file_(std::move(file)), facts_(facts), model_(model) {}

  std::vector<ShownField> read() {
    for (const auto& question : YAML::LoadFile(file_))
      for (const auto& output : question.second) {
        const auto* f = function(question.first);
        const auto name = output.first.as<std::string>();
        const bool known = name == "result" || f->find(name.substr(0, name.find('.'))) ||
                           (f->name == "nvmlDeviceGetFieldValues" && name == "value");
        if (!known) fail(output.first, f->name + " has no " + name);
        if (!output.second.IsSequence()) add(question.first, name, output.second);
        for (const auto& part : output.second)
          if (output.second.IsSequence()) add(question.first, name, part);
      }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& at, const std::string& message) const {
    throw RegistryError(file_ + ":" + std::to_string(at.Mark().line + 1), message);
  }

  // The function of "nvmlX(CONSTANT, 0)", whose constants must be some.
  const Function* function(const YAML::Node& node) const {
    const auto text = node.as<std::string>();
    const auto open = text.find('(');
    const auto* found = facts_.function(text.substr(0, open));
    if (!found) fail(node, text + " is no function");
    for (auto at = open; at != std::string::npos && text[at] != ')';) {
      at = text.find_first_not_of("(, ", at);
      const auto end = text.find_first_of(",)", at);
      const auto word = text.substr(at, end - at);
      if (word.find_first_not_of("0123456789") != std::string::npos && !facts_.value(word))
        fail(node, word + " is no constant");
      at = end;
    }
    return found;
  }

  void add(const YAML::Node& question, const std::string& output, const YAML::Node& node) {
    ShownField row{question.as<std::string>(), output, {}};
    if (node.IsScalar()) row.field = node.as<std::string>();
    if (node.IsMap()) {
      for (const auto& item : node) {
        const auto key = item.first.as<std::string>();
        if (key == "field" || key == "answered") {
          row.field = item.second.as<std::string>();
          row.answered = key == "answered";
        } else if (key == "divide") {
          row.divide = item.second.as<std::uint64_t>();
        } else if (key == "bit") {
          const auto bit = facts_.value(item.second.as<std::string>());
          if (!bit) fail(item.second, "no such constant: " + item.second.as<std::string>());
          row.bit = static_cast<std::uint64_t>(*bit);
        } else {
          fail(item.first, "unknown key " + key);
        }
      }
    }
    if (!model_.find(row.field)) fail(node, "no field of the model: " + row.field);
    out_.push_back(std::move(row));
  }

  std::string file_;
  const Facts& facts_;
  const Model& model_;
  std::vector<ShownField> out_;
};

}  // namespace

std::vector<ShownField> load_shown(const std::filesystem::path& file, const Facts& facts, const Model& model) {
  try {
    return ShownReader(file.string(), facts, model).read();
  } catch (const YAML::Exception& e) {
    throw RegistryError(file.string() + ":" + std::to_string(e.mark.line + 1), e.msg);
  }
}

}  // namespace nvmlgen
