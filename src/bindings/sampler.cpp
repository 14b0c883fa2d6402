#include <algorithm>
#include <nvmlkit/detail/errata.hpp>
#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/sampler.hpp>

#include "sampler_sources.hpp"

namespace nvmlkit::nvml {
namespace detail {

using Clock = std::chrono::system_clock;

struct SamplerStep {
  Source source;
  unsigned int selector;
  Ask ask;
  Errc status = Errc::not_ready;
  Outputs values{};
  Clock::time_point time;
};

// What is called for one device, and where the answer to each request is found.
struct SamplerPlan {
  struct Binding {
    bool field;         // in `fields`, else in `steps`
    std::size_t index;  // in there
    std::uint8_t output;
    Errc refused;  // of a field that this driver does not have: it is never asked for
  };
  HeldDevice device{};
  std::vector<SamplerStep> steps;
  std::vector<abi::nvmlFieldValue_t> blank;  // ids and scopes; all else zero, because some drivers add to what is there
  std::vector<abi::nvmlFieldValue_t> fields;
  std::vector<Binding> bindings;  // one per request
};

namespace {

Errc decode(const abi::nvmlFieldValue_t& field, SampleValue& value) noexcept {
  const auto status = static_cast<Errc>(field.nvmlReturn);
  if (status != Errc::success) return status;
  switch (field.valueType) {
    case abi::NVML_VALUE_TYPE_DOUBLE:
      value = field.value.dVal;
      return status;
    case abi::NVML_VALUE_TYPE_UNSIGNED_INT:
      value = static_cast<unsigned long long>(field.value.uiVal);
      return status;
    case abi::NVML_VALUE_TYPE_UNSIGNED_LONG:
      value = static_cast<unsigned long long>(field.value.ulVal);
      return status;
    case abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG:
      value = field.value.ullVal;
      return status;
    case abi::NVML_VALUE_TYPE_SIGNED_LONG_LONG:
      value = field.value.sllVal;
      return status;
    case abi::NVML_VALUE_TYPE_SIGNED_INT:
      value = static_cast<long long>(field.value.siVal);
      return status;
    case abi::NVML_VALUE_TYPE_UNSIGNED_SHORT:
      value = static_cast<unsigned long long>(field.value.usVal);
      return status;
    default:
      return Errc::malformed_answer;
  }
}

Errc ask_fields(const Session& state, HeldDevice device, std::vector<abi::nvmlFieldValue_t>& fields) {
  return call(state, &Table::DeviceGetFieldValues, device, static_cast<int>(fields.size()), fields.data()).code;
}

// Runs a source with each of its versions until one is known to the driver.
SamplerStep first_known(const Session& state, HeldDevice device, Source source, unsigned int selector) {
  const auto versions = versions_of(source);
  SamplerStep step{source, selector, versions.front(), Errc::not_ready, {}, {}};
  if (versions.size() == 1) return step;
  for (const Ask ask : versions) {
    const Errc code = ask(state, device, selector, step.values);
    if (code == Errc::function_not_found || code == Errc::argument_version_mismatch) continue;
    step.ask = ask;
    break;
  }
  return step;
}

class Compiler {
 public:
  Compiler(const Session& state, HeldDevice device) : session_(state) { plan_.device = device; }

  SamplerPlan compile(const std::vector<Sampler::Request>& requests) {
    const std::vector<Want> wants = resolve(requests);
    for (const Want& want : wants) plan_.bindings.push_back(bind(want));
    plan_.fields = plan_.blank;
    return std::move(plan_);
  }

 private:
  struct Want {
    const MetricRow* row = nullptr;  // null: a bare field
    bool by_field = true;
    unsigned int field = 0;  // the id on the wire
    unsigned int scope = 0;
    Errc refused = Errc::success;
  };

  Want want_of(const Sampler::Request& request) const {
    Want want;
    Sampler::Field field{kNoField};
    if (const auto* metric = std::get_if<Metric>(&request.what())) {
      want.row = row_of(*metric);
      want.by_field = want.row->field != kNoField;
      field = {want.row->field, want.row->scope};
    } else {
      field = std::get<Sampler::Field>(request.what());
    }
    if (!want.by_field) return want;
    want.scope = field.scope;
    const auto id = wire_id(field.id, driver_version(session_));
    if (id)
      want.field = *id;
    else if (has_choice(want))
      want.by_field = false;
    else
      want.refused = id.error().code();
    return want;
  }

  // Decides between field and function: the field, unless only the function works on this device.
  std::vector<Want> resolve(const std::vector<Sampler::Request>& requests) {
    std::vector<Want> wants;
    std::vector<abi::nvmlFieldValue_t> probe;
    for (const auto& request : requests) {
      wants.push_back(want_of(request));
      if (has_choice(wants.back())) probe.push_back(blank_of(wants.back()));
    }
    if (probe.empty()) return wants;
    const Errc batch = ask_fields(session_, plan_.device, probe);
    std::size_t next = 0;
    for (Want& want : wants) {
      if (!has_choice(want)) continue;
      SampleValue ignored;
      const Errc code = batch == Errc::success ? decode(probe[next], ignored) : batch;
      ++next;
      if (code == Errc::success) continue;
      Outputs outputs{};
      const SamplerStep step = first_known(session_, plan_.device, want.row->source, want.row->selector);
      want.by_field = step.ask(session_, plan_.device, step.selector, outputs) != Errc::success;
    }
    return wants;
  }

  static bool has_choice(const Want& want) { return want.by_field && want.row && want.row->source != Source::none; }

  static abi::nvmlFieldValue_t blank_of(const Want& want) {
    abi::nvmlFieldValue_t value{};
    value.fieldId = want.field;
    value.scopeId = want.scope;
    return value;
  }

  SamplerPlan::Binding bind(const Want& want) {
    if (want.refused != Errc::success) return {true, 0, 0, want.refused};
    if (want.by_field) {
      const auto same = [&](const auto& f) { return f.fieldId == want.field && f.scopeId == want.scope; };
      const auto found = std::find_if(plan_.blank.begin(), plan_.blank.end(), same);
      const auto index = static_cast<std::size_t>(found - plan_.blank.begin());
      if (found == plan_.blank.end()) plan_.blank.push_back(blank_of(want));
      return {true, index, 0, Errc::success};
    }
    const auto same = [&](const SamplerStep& s) {
      return s.source == want.row->source && s.selector == want.row->selector;
    };
    const auto found = std::find_if(plan_.steps.begin(), plan_.steps.end(), same);
    const auto index = static_cast<std::size_t>(found - plan_.steps.begin());
    if (found == plan_.steps.end())
      plan_.steps.push_back(first_known(session_, plan_.device, want.row->source, want.row->selector));
    return {false, index, want.row->output, Errc::success};
  }

  const Session& session_;
  SamplerPlan plan_;
};

void take_sample(const Session& state, SamplerPlan& plan, Reading* readings) noexcept {
  Errc batch = Errc::success;
  Clock::time_point asked;
  if (!plan.blank.empty()) {
    std::copy(plan.blank.begin(), plan.blank.end(), plan.fields.begin());
    asked = Clock::now();
    batch = ask_fields(state, plan.device, plan.fields);
  }
  for (SamplerStep& step : plan.steps) {
    step.time = Clock::now();
    step.status = step.ask(state, plan.device, step.selector, step.values);
  }
  for (const SamplerPlan::Binding& binding : plan.bindings) {
    Reading& reading = *readings++;
    if (binding.refused != Errc::success) {
      reading.status = state.usable() ? binding.refused : state.why_unusable();
      reading.time = Clock::now();
    } else if (binding.field) {
      const abi::nvmlFieldValue_t& field = plan.fields[binding.index];
      reading.status = batch == Errc::success ? decode(field, reading.value) : batch;
      // Microseconds of the wall clock; a field that was not measured has none.
      reading.time = batch == Errc::success && field.timestamp > 0
                         ? Clock::time_point(std::chrono::microseconds(field.timestamp))
                         : asked;
    } else {
      const SamplerStep& step = plan.steps[binding.index];
      reading.status = step.status;
      reading.value = step.values[binding.output];
      reading.time = step.time;
      const double* number = std::get_if<double>(&reading.value);
      if (reading.ok() && number && *number == kAbsent) reading.status = Errc::not_supported;
    }
  }
}

}  // namespace
}  // namespace detail

Sampler::Sampler(SessionPtr state, std::size_t requests) noexcept : session_(std::move(state)), requests_(requests) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

Result<Sampler> Sampler::create(const Library& library, const std::vector<Device>& devices,
                                const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    const Metric* metric = std::get_if<Metric>(&request.what());
    if (metric && !detail::row_of(*metric)) return Failure(Errc::invalid_argument, nullptr, "no such metric");
  }
  Sampler sampler(library.session(), requests.size());
  for (const Device& device : devices)
    sampler.plans_.push_back(detail::Compiler(*library.session(), device.held()).compile(requests));
  sampler.readings_.resize(devices.size() * requests.size());
  return sampler;
}

void Sampler::tick() noexcept {
  Reading* readings = readings_.data();
  for (detail::SamplerPlan& plan : plans_) {
    detail::take_sample(*session_, plan, readings);
    readings += requests_;
  }
}

std::size_t Sampler::calls_per_tick() const noexcept {
  std::size_t calls = 0;
  for (const detail::SamplerPlan& plan : plans_) calls += plan.steps.size() + (plan.blank.empty() ? 0 : 1);
  return calls;
}

}  // namespace nvmlkit::nvml
