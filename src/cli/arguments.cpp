#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/command.hpp"

namespace nvmlkit::cli {
namespace {

// The word for a value of this kind.
std::string label_of(Kind kind) {
  switch (kind) {
    case Kind::flag:
      return "";
    case Kind::number:
      return "N";
    case Kind::file:
      return "FILE";
    case Kind::folder:
      return "DIR";
    case Kind::machine:
      return "MACHINE";
    case Kind::driver:
      return "DRIVER";
    case Kind::gpu:
    case Kind::gpu_list:
      return "GPUS";
    case Kind::name:
      return "NAME";
    default:
      return "VALUE";
  }
}

// "--machine" of "-m,--machine".
std::vector<std::string_view> split_names(std::string_view names) {
  std::vector<std::string_view> out;
  while (!names.empty()) {
    const auto comma = std::min(names.find(','), names.size());
    out.push_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return out;
}

}  // namespace

std::string Parameter::longest_name() const { return std::string(split_names(names).back()); }

bool Parameter::is_named(std::string_view name) const {
  const auto all = split_names(names);
  return !positional && std::find(all.begin(), all.end(), name) != all.end();
}

Declared& Declared::required() {
  option_->required();
  parameter_->required = true;
  return *this;
}

Declared& Declared::label(std::string text) {
  option_->type_name(text);
  parameter_->label = std::move(text);
  return *this;
}

Declared& Declared::default_text(std::string text) {
  parameter_->default_text = std::move(text);
  return *this;
}

Declared& Declared::only(std::vector<std::string> choices) {
  option_->check([choices](const std::string& value) {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return std::string();
    return "expected one of " + CLI::detail::join(choices, ", ") + ", got '" + value + "'";
  });
  parameter_->strict = true;
  return for_example(std::move(choices));
}

Declared& Declared::for_example(std::vector<std::string> examples) {
  parameter_->choices = std::move(examples);
  return *this;
}

Declared& Declared::excludes(const Declared& other) {
  option_->excludes(other.option_);
  return *this;
}

Declared& Declared::needs(const Declared& other) {
  option_->needs(other.option_);
  return *this;
}

bool Declared::given() const { return option_->count() > 0; }

Declared Arguments::add(CLI::Option* option, const std::string& names, Kind kind, const std::string& help) {
  auto& parameter = node_->parameters.emplace_back();
  parameter.names = names;
  parameter.help = help;
  parameter.kind = kind;
  parameter.positional = names[0] != '-';
  parameter.section = parameter.positional ? "Arguments" : section_;
  parameter.label = parameter.positional ? names : label_of(kind);
  return Declared(option, &parameter);
}

Declared Arguments::flag(const std::string& names, bool& value, const std::string& help) {
  return add(node_->app->add_flag(names, value, help), names, Kind::flag, help);
}

Declared Arguments::flag(const std::string& names, const std::string& label, const std::string& otherwise,
                         std::string& value, const std::string& help) {
  auto declared = add(node_->app->add_flag(names + "{" + otherwise + "}", value, help), names, Kind::flag, help);
  node_->parameters.back().label = "[=" + label + "]";
  return declared;
}

Declared Arguments::option(const std::string& names, Kind kind, std::string& value, const std::string& help) {
  return add(node_->app->add_option(names, value, help), names, kind, help).label(label_of(kind));
}

Declared Arguments::option(const std::string& names, Kind kind, std::vector<std::string>& values,
                           const std::string& help) {
  auto* const option =
      node_->app->add_option(names, values, help)->type_size(1)->expected(1)->take_all()->allow_extra_args(false);
  auto declared = add(option, names, kind, help).label(label_of(kind));
  node_->parameters.back().repeated = true;
  return declared;
}

Declared Arguments::option(const std::string& names, std::uint32_t& value, const std::string& help) {
  return add(node_->app->add_option(names, value, help), names, Kind::number, help).label(label_of(Kind::number));
}

Declared Arguments::option(const std::string& names, std::optional<std::uint32_t>& value, const std::string& help) {
  return add(node_->app->add_option(names, value, help), names, Kind::number, help).label(label_of(Kind::number));
}

Declared Arguments::argument(const std::string& label, Kind kind, std::string& value, const std::string& help) {
  return add(node_->app->add_option(label, value, help), label, kind, help);
}

Declared Arguments::argument(const std::string& label, Kind kind, std::vector<std::string>& values,
                             const std::string& help) {
  auto declared = add(node_->app->add_option(label, values, help), label, kind, help);
  node_->parameters.back().repeated = true;
  return declared;
}

void Arguments::program(const std::string& label, const std::string& help) {
  node_->app->prefix_command();
  auto& parameter = node_->parameters.emplace_back();
  parameter.names = parameter.label = label;
  parameter.help = help;
  parameter.section = "Arguments";
  parameter.kind = Kind::program;
  parameter.positional = parameter.required = parameter.repeated = true;
}

void Arguments::foreign(const std::string& label, const std::string& help) {
  program(label, help);
  auto& parameter = node_->parameters.back();
  parameter.kind = Kind::text;
  parameter.required = false;
  node_->any_words = true;
}

const CommandNode& Arguments::root() const {
  const CommandNode* at = node_;
  while (at->parent != nullptr) at = at->parent;
  return *at;
}

}  // namespace nvmlkit::cli
