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

Expected<void> install_failing_functions(const Layers& layers, const Machine& machine) {
  std::uint32_t item = 0;
  for (const auto& said : machine.host().failing_functions.span()) {
    const std::array<std::string, 3> words{"fail", std::string(said.function->view()), std::string(said.error->view())};
    auto rule = calls::parse_rule(words);
    if (!rule)
      return fail(std::move(rule.error()).of_item("failing_functions", item).at(place_of_list(layers).place()));
    rule->gpu = said.gpu.value_or(calls::kAnyGpu);
    ++item;
    if (rule->gpu == calls::kAnyGpu || rule->gpu < machine.gpus().size()) machine.call_rules().add(*rule);
  }
  return {};
}

}  // namespace nvmlkit::sim::config
