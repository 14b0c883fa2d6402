#include "sim/config/failing_functions.hpp"

#include <array>
#include <string>

#include "sim/calls/rule_words.hpp"
#include "sim/calls/rules.hpp"

namespace nvmlkit::sim::config {
namespace {

// Of the newest layer that lists any: lists are replaced.
Node place_of_list(const Layers& layers) {
  for (auto layer = layers.all().rbegin(); layer != layers.all().rend(); ++layer)
    if (const Node node = layer->root.find("failing_functions")) return node;
  return layers.all().back().root;
}

}  // namespace

void install_failing_functions(const Layers& layers, const Machine& machine) {
  std::size_t item = 0;
  for (const auto& said : machine.host().failing_functions.span()) {
    const std::array<std::string, 3> words{"fail", std::string(said.function->view()), std::string(said.error->view())};
    calls::Rule rule{};
    const auto problem = calls::parse_rule(words, rule);
    if (!problem.empty()) place_of_list(layers).fail("failing_functions[" + std::to_string(item) + "]: " + problem);
    rule.gpu = said.gpu.value_or(calls::kAnyGpu);
    ++item;
    if (rule.gpu == calls::kAnyGpu || rule.gpu < machine.gpus().size()) machine.call_rules().add(rule);
  }
}

}  // namespace nvmlkit::sim::config
