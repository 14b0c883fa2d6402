// What the words of a MIG command mean.
#include <algorithm>
#include <iterator>

#include "sim/problem/names.hpp"
#include "sim/steering/mig.hpp"
#include "sim/steering/options.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim::steering {
namespace {

constexpr std::string_view kMigVerbs[] = {"enable", "disable", "create", "destroy", "clear"};

Expected<std::uint32_t> read_number(const char* what, std::string_view text) {
  const auto number = text::number_of<std::uint32_t>(text);
  return number ? Expected<std::uint32_t>(*number) : fail(wrong_value(what, quote(text)));
}

// PROFILE or PROFILE:START, several with commas.
Expected<std::vector<MigProfileWord>> read_profiles(std::string_view list) {
  std::vector<MigProfileWord> out;
  for (const auto& part : parts_of(list)) {
    const auto colon = part.find(':');
    MigProfileWord word{part.substr(0, colon), {}};
    if (word.profile.empty()) return fail(wrong_value("a profile such as 1g.10gb, or 1g.10gb:2", quote(list)));
    if (colon != std::string::npos) {
      const auto start = read_number("a slice as the start", std::string_view(part).substr(colon + 1));
      if (!start) return fail(start.error());
      word.start = *start;
    }
    out.push_back(std::move(word));
  }
  return out;
}

Expected<void> read_create(const Options& options, MigCommand& out) {
  if (options.plain.size() != 1) return fail(missing("a profile, such as 1g.10gb"));
  auto profiles = read_profiles(options.plain[0]);
  if (!profiles) return fail(std::move(profiles.error()));
  out.profiles = std::move(*profiles);
  out.bare = options.find("--bare") != nullptr;
  if (const auto* list = options.find("--compute")) {
    auto computes = read_profiles(*list);
    if (!computes) return fail(std::move(computes.error()));
    out.computes = std::move(*computes);
  }
  const auto* gi = options.find("--gi");
  if ((out.bare && !out.computes.empty()) || (gi != nullptr && (out.bare || !out.computes.empty())))
    return fail(contradiction("--gi, --compute and --bare exclude each other"));
  if (gi == nullptr) return {};
  const auto id = read_number("the id of a GPU instance", *gi);
  if (!id) return fail(id.error());
  out.instances = {*id};
  return {};
}

Expected<void> read_destroy(const Options& options, MigCommand& out) {
  if (options.plain.size() != 1) return fail(missing("the id of a GPU instance, as `nvmlkit mig list` shows it"));
  for (const auto& part : parts_of(options.plain[0])) {
    const auto id = read_number("the id of a GPU instance", part);
    if (!id) return fail(id.error());
    if (std::find(out.instances.begin(), out.instances.end(), *id) != out.instances.end())
      return fail({.kind = ProblemKind::duplicate, .what = "GPU instance " + part + " is there twice"});
    out.instances.push_back(*id);
  }
  const auto* ci = options.find("--ci");
  if (ci == nullptr) return {};
  const auto id = read_number("the id of a compute instance", *ci);
  if (!id) return fail(id.error());
  if (out.instances.size() > 1) return fail(contradiction("--ci is about one GPU instance"));
  out.compute = *id;
  return {};
}

}  // namespace

std::span<const std::string_view> mig_verbs() { return kMigVerbs; }

Expected<MigCommand> read_mig(std::span<const std::string> words) {
  if (words.empty()) return fail(missing("enable, disable, create, destroy or clear after mig"));
  const auto verb = std::find(std::begin(kMigVerbs), std::end(kMigVerbs), words[0]);
  if (verb == std::end(kMigVerbs)) return fail(unknown_name("verb of mig", words[0], kMigVerbs));
  if (words.size() < 2) return fail(missing("the GPUs, for example mig " + words[0] + " gpu=0"));
  MigCommand out;
  out.verb = static_cast<MigVerb>(verb - std::begin(kMigVerbs));
  out.gpus = words[1];
  const bool creates = out.verb == MigVerb::create, destroys = out.verb == MigVerb::destroy;
  static constexpr std::string_view kOfCreate[] = {"--compute", "--gi"}, kFlags[] = {"--bare"}, kOfDestroy[] = {"--ci"};
  const auto options =
      read_options(words.subspan(2),
                   creates    ? std::span<const std::string_view>(kOfCreate)
                   : destroys ? std::span<const std::string_view>(kOfDestroy)
                              : std::span<const std::string_view>(),
                   creates ? std::span<const std::string_view>(kFlags) : std::span<const std::string_view>());
  if (!options) return fail(options.error());
  auto good = creates ? read_create(*options, out) : destroys ? read_destroy(*options, out) : Expected<void>();
  if (!creates && !destroys && !options->plain.empty()) good = fail(unexpected_word(options->plain[0]));
  return good ? Expected<MigCommand>(std::move(out)) : fail(std::move(good.error()));
}

}  // namespace nvmlkit::sim::steering
