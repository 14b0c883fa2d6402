#include "ptxas/assemble.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string_view>

#include "driver/cuda/fatbin/elf.hpp"
#include "ptx/builtins/grid_groups.hpp"
#include "ptx/module.hpp"
#include "ptx/parse/head.hpp"
#include "ptx/parse/ptxas_log.hpp"

namespace nvmlkit::ptxas {
namespace {

struct Input {
  std::string name, text;
};

std::string all_of(std::istream& stream) { return {std::istreambuf_iterator<char>(stream), {}}; }

std::string text_of_file(const std::string& name) {
  if (name == "-") return all_of(std::cin);
  std::ifstream file(name, std::ios::binary);
  if (!file) throw Fatal("Input file '" + name + "' could not be opened\n" + std::string(ptx::kAborted));
  return all_of(file);
}

std::vector<Input> inputs_of(const Options& options) {
  std::vector<Input> out;
  for (const auto& name : options.inputs) out.push_back({name, text_of_file(name)});
  for (const auto& text : options.texts) out.push_back({"<input string>", text});
  // A zero ends a text, as it ends the one that a driver is handed.
  for (auto& input : out) input.text.resize(std::min(input.text.find('\0'), input.text.size()));
  return out;
}

// The letter behind the number: 'a' is code for this GPU alone, 'f' for its family.
char suffix_of(std::string_view gpu) { return gpu.ends_with('a') || gpu.ends_with('f') ? gpu.back() : ' '; }

int architecture_of(std::string_view gpu) {
  return ptx::architecture_of("sm_" + std::string(gpu.substr(gpu.find('_') + 1)));
}

void check_target(const std::string& target, const std::string& gpu) {
  if (target.empty()) return;
  const int wanted = architecture_of(target), own = architecture_of(gpu);
  if (wanted > own) throw Fatal("SM version specified by .target is higher than default SM version assumed");
  if (suffix_of(target) != 'a') return;
  if (wanted < own) throw Fatal("Program with .target '" + target + "' cannot be compiled to future architecture");
  if (suffix_of(gpu) != 'a')
    throw Fatal("PTX with .target '" + target + "' cannot be compiled for architecture '" + gpu + "'");
}

bool check_head(const Input& input, const std::string& gpu, std::ostream& log) {
  using ptx::HeadFault;
  const auto head = ptx::head_of(input.text, ptx::kVersionOfCompilers);
  switch (head.fault) {
    case HeadFault::no_version:
      log << ptx::fatal_line(input.name, head.line, "Missing .version directive at start of file '" + input.name + "'");
      break;
    case HeadFault::unknown_version:
    case HeadFault::unknown_target:
      log << ptx::fatal_line(input.name, head.line, head.problem);
      break;
    case HeadFault::version_too_early:
      log << ptx::error_line(input.name, head.line, head.problem) << ptx::kAborted << '\n';
      return false;
    case HeadFault::none:
      check_target(head.target, gpu);
      return true;
  }
  log << '\n' << ptx::kAborted << '\n';
  return false;
}

void describe(const ptx::Module& module, const std::string& gpu, std::ostream& log) {
  std::uint64_t bytes = 0;
  for (const auto& variable : module.variables)
    if (variable.space == ptx::Space::global) bytes += variable.size;
  log << "ptxas info    : " << bytes << " bytes gmem\n";
  for (const auto& function : module.functions) {
    if (!function.is_entry) continue;
    log << "ptxas info    : Compiling entry function '" << function.name << "' for '" << gpu << "'\n";
    if (function.shared_bytes > 0) log << "ptxas info    : Used " << function.shared_bytes << " bytes smem\n";
  }
}

// Null: the log says why. What a relocatable text does not define is no error.
std::unique_ptr<ptx::Module> module_of(const std::vector<Input>& inputs, const Options& options, bool& is_right,
                                       std::ostream& log) {
  std::vector<std::string> texts;
  for (const auto& input : inputs) texts.push_back(input.text);
  try {
    return ptx::load(ptx::joined_with_grid_groups(std::move(texts)));
  } catch (const ptx::Error& error) {
    is_right = options.is_relocatable && error.kind == ptx::ErrorKind::undefined_function;
    const auto part = std::clamp<std::size_t>(error.part, 1, inputs.size()) - 1;
    if (!is_right) log << ptx::ptxas_log(error, inputs[part].name) << '\n';
    return nullptr;
  }
}

void write(const std::string& name, const std::string& bytes) {
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  if (!file) throw Fatal("Output file '" + name + "' could not be opened");
  if (file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) return;
  file.close();
  if (std::error_code error; std::filesystem::is_regular_file(name, error)) std::filesystem::remove(name, error);
  throw Fatal("Output file '" + name + "' could not be written");
}

}  // namespace

bool assemble(const Options& options, std::ostream& log) {
  const auto inputs = inputs_of(options);
  for (const auto& input : inputs)
    if (!check_head(input, options.gpu, log)) return false;
  bool is_right = true;
  const auto module = module_of(inputs, options, is_right, log);
  if (!is_right) return false;
  if (module) {
    for (const auto& entry : options.entries)
      if (!module->entry(entry)) throw Fatal("Unknown function " + entry);
    if (options.is_verbose) describe(*module, options.gpu, log);
  }
  if (!options.gpu.starts_with("sm_")) return true;  // a virtual architecture: to read alone
  cuda::fatbin::Image image{{}, architecture_of(options.gpu)};
  for (const auto& input : inputs) image.texts.push_back(input.text);
  write(options.output, cuda::fatbin::image_of(image));
  return true;
}

}  // namespace nvmlkit::ptxas
