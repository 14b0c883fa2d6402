#include "capture/walk.hpp"

#include <fmt/format.h>

#include <array>
#include <nvmlkit/device.hpp>

#include "capture/ask.hpp"

namespace nvmlkit::capture {
namespace {

using nvml::Table;

constexpr unsigned int kMostGpuInstances = 32;

template <class Handle>
std::uintptr_t word(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return handle;
}

class Walk {
 public:
  explicit Walk(const nvml::Library& library) : library_(library), table_(library.table()), asker_(table_, answers_) {}

  Answers ask_everywhere() {
    find_gpus();
    find_units();
    ask_all();
    find_instances();
    find_vgpus();
    ask_all();
    add(Subject::machine, "machine", 0, Object::kNone);
    ask_all();
    return std::move(answers_);
  }

 private:
  std::size_t add(Subject subject, std::string name, std::uintptr_t handle, std::size_t parent) {
    if (handle > 0xFFFFFFFF) asker_.names()[handle] = name;  // numbers of vGPUs are no handles
    answers_.objects.push_back({subject, std::move(name), handle, parent, {}, {}});
    return answers_.objects.size() - 1;
  }

  // Objects without an answer yet. Questions that depend on other answers come behind them.
  void ask_all() {
    for (const bool dependent : {false, true})
      for (std::size_t object = asked_; object < answers_.objects.size(); ++object)
        for (const auto& question : questions()) {
          const auto& about = answers_.objects[object];
          if (question.subject != about.subject || (about.handle == 0 && about.subject != Subject::machine)) continue;
          if (depends(question) == dependent) asker_.ask(question, object);
        }
    for (std::size_t object = asked_; object < answers_.objects.size(); ++object) ask_fields(answers_.objects[object]);
    asked_ = answers_.objects.size();
  }

  static bool depends(const Question& question) {
    for (const auto& choice : question.choices)
      if (choice.kind == Choice::Kind::each || choice.kind == Choice::Kind::below) return true;
    return false;
  }

  // By the bindings, because drivers number some fields otherwise.
  void ask_fields(Object& object) {
    if (object.subject != Subject::device || object.parent != Object::kNone || object.handle == 0) return;
    const auto device = library_.device(gpu_numbers_.at(object.handle));
    if (!device) return;
    for (const auto& field : field_questions())
      for (std::uint32_t scope = 0; scope < field.scopes; ++scope)
        object.answers.insert_or_assign(fmt::format("nvmlDeviceGetFieldValues({}, {})", field.name, scope),
                                        field_answer(*device, {static_cast<nvml::FieldId>(field.id), scope}));
  }

  // Each value in a call of its own: of one call for all values, driver 580 on an H100 left some without an answer that
  // it tells one by one.
  static Json field_answer(const nvml::Device& device, const nvml::FieldQuery& query) {
    Json answer;
    const auto values = device.field_values({&query, 1});
    if (!values)
      answer["error"] = Asker::code_name(static_cast<int>(values.error().code()));
    else if (const auto& value = values->front().value)
      std::visit([&](auto number) { answer["value"] = number; }, *value);
    else
      answer["error"] = Asker::code_name(static_cast<int>(value.error().code()));
    return answer;
  }

  void find_gpus() {
    unsigned int count = 0;
    const auto get_count = table_.DeviceGetCount_v2 ? table_.DeviceGetCount_v2 : table_.DeviceGetCount;
    const auto get =
        table_.DeviceGetHandleByIndex_v2 ? table_.DeviceGetHandleByIndex_v2 : table_.DeviceGetHandleByIndex;
    if (!get_count || !get) return;
    if (const auto code = get_count(&count); code != abi::NVML_SUCCESS) {
      answers_.no_gpus = Asker::code_name(static_cast<int>(code));
      return;
    }
    for (unsigned int i = 0; i < count; ++i) {
      abi::nvmlDevice_t device = nullptr;
      const auto code = get(i, &device);
      const bool found = code == abi::NVML_SUCCESS;
      const auto object = add(Subject::device, fmt::format("GPU {}", i), found ? word(device) : 0, Object::kNone);
      if (found)
        gpu_numbers_[word(device)] = i;
      else
        answers_.objects[object].refused = Asker::code_name(static_cast<int>(code));
    }
  }

  void find_units() {
    unsigned int count = 0;
    if (!table_.UnitGetCount || !table_.UnitGetHandleByIndex || table_.UnitGetCount(&count) != abi::NVML_SUCCESS)
      return;
    for (unsigned int i = 0; i < count; ++i) {
      abi::nvmlUnit_t unit = nullptr;
      if (table_.UnitGetHandleByIndex(i, &unit) == abi::NVML_SUCCESS)
        add(Subject::unit, fmt::format("unit {}", i), word(unit), Object::kNone);
    }
  }

  template <class Work>
  void for_each_gpu(Work work) {
    for (std::size_t object = 0, end = answers_.objects.size(); object < end; ++object)
      if (answers_.objects[object].subject == Subject::device && answers_.objects[object].handle != 0)
        work(object, reinterpret_cast<abi::nvmlDevice_t>(answers_.objects[object].handle),
             answers_.objects[object].name);
  }

  void find_instances() {
    for_each_gpu([&](std::size_t gpu, abi::nvmlDevice_t device, const std::string& name) {
      const auto parent_name = name;
      unsigned int most = 0;
      if (table_.DeviceGetMaxMigDeviceCount && table_.DeviceGetMigDeviceHandleByIndex &&
          table_.DeviceGetMaxMigDeviceCount(device, &most) == abi::NVML_SUCCESS)
        for (unsigned int i = 0; i < most; ++i) {
          abi::nvmlDevice_t mig = nullptr;
          if (table_.DeviceGetMigDeviceHandleByIndex(device, i, &mig) == abi::NVML_SUCCESS)
            add(Subject::device, fmt::format("{} MIG {}", parent_name, i), word(mig), gpu);
        }
      if (!table_.DeviceGetGpuInstances || !table_.GpuInstanceGetInfo) return;
      for (const auto profile : ids(gpu, "nvmlDeviceGetGpuInstanceProfileInfo(")) {
        std::array<abi::nvmlGpuInstance_t, kMostGpuInstances> instances{};
        unsigned int count = 0;
        if (table_.DeviceGetGpuInstances(device, profile, instances.data(), &count) != abi::NVML_SUCCESS) continue;
        for (unsigned int i = 0; i < count && i < instances.size(); ++i) {
          abi::nvmlGpuInstanceInfo_t info{};
          if (table_.GpuInstanceGetInfo(instances[i], &info) != abi::NVML_SUCCESS) continue;
          const auto object = add(Subject::gpu_instance, fmt::format("{} GPU instance {}", parent_name, info.id),
                                  word(instances[i]), gpu);
          find_compute_instances(object, instances[i]);
        }
      }
    });
  }

  void find_compute_instances(std::size_t parent, abi::nvmlGpuInstance_t instance) {
    if (!table_.GpuInstanceGetComputeInstanceProfileInfo || !table_.GpuInstanceGetComputeInstances) return;
    const auto get_info =
        table_.ComputeInstanceGetInfo_v2 ? table_.ComputeInstanceGetInfo_v2 : table_.ComputeInstanceGetInfo;
    if (!get_info) return;
    for (unsigned int profile = 0; profile < abi::COMPUTE_INSTANCE_PROFILE_COUNT; ++profile) {
      abi::nvmlComputeInstanceProfileInfo_t about{};
      if (table_.GpuInstanceGetComputeInstanceProfileInfo(instance, profile, 0, &about) != abi::NVML_SUCCESS) continue;
      std::array<abi::nvmlComputeInstance_t, kMostGpuInstances> instances{};
      unsigned int count = 0;
      if (table_.GpuInstanceGetComputeInstances(instance, about.id, instances.data(), &count) != abi::NVML_SUCCESS)
        continue;
      for (unsigned int i = 0; i < count && i < instances.size(); ++i) {
        abi::nvmlComputeInstanceInfo_t info{};
        if (get_info(instances[i], &info) != abi::NVML_SUCCESS) continue;
        add(Subject::compute_instance, fmt::format("{} compute instance {}", answers_.objects[parent].name, info.id),
            word(instances[i]), parent);
      }
    }
  }

  // The profile ids that a GPU reported.
  std::vector<unsigned int> ids(std::size_t object, const char* question) const {
    std::vector<unsigned int> out;
    const auto& answers = answers_.objects[object].answers;
    for (auto answer = answers.lower_bound(question); answer != answers.end(); ++answer) {
      if (!answer->first.starts_with(question)) break;
      if (const auto* id = at(&answer->second, "info.id")) out.push_back(id->get<unsigned int>());
    }
    return out;
  }

  void find_vgpus() {
    std::map<std::uint64_t, bool> types;
    for_each_gpu([&](std::size_t gpu, abi::nvmlDevice_t, const std::string& name) {
      const auto parent_name = name;
      if (const auto* list = at(answers_.objects[gpu].answer("nvmlDeviceGetSupportedVgpus"), "vgpuTypeIds"))
        for (const auto& id : *list) types[id.get<std::uint64_t>()] = true;
      std::vector<std::uint64_t> active;
      if (const auto* list = at(answers_.objects[gpu].answer("nvmlDeviceGetActiveVgpus"), "vgpuInstances"))
        for (const auto& id : *list) active.push_back(id.get<std::uint64_t>());
      for (const auto id : active) add(Subject::vgpu, fmt::format("{} vGPU {}", parent_name, id), id, gpu);
    });
    for (const auto& [id, known] : types) add(Subject::vgpu_type, fmt::format("vGPU type {}", id), id, Object::kNone);
  }

  const nvml::Library& library_;
  const Table& table_;
  Answers answers_;
  Asker asker_;
  std::map<std::uintptr_t, unsigned int> gpu_numbers_;
  std::size_t asked_ = 0;
};

}  // namespace

Answers ask_everything(const nvml::Library& library) { return Walk(library).ask_everywhere(); }

}  // namespace nvmlkit::capture
