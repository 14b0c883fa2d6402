#include "sim/state/layout.hpp"

#include <unistd.h>

#include <cstring>
#include <ctime>

#include "sim/generated/model_descriptors.hpp"
#include "sim/state/hash.hpp"

namespace nvmlkit::sim::state {

std::uint64_t layout_hash() {
  Hash hash;
  for (const auto& structure : model::all_structs()) {
    hash.add(structure.name());
    hash.add(structure.size);
    for (const auto& field : structure.fields()) {
      hash.add(field.name());
      for (const auto number :
           {static_cast<std::uint32_t>(field.type), static_cast<std::uint32_t>(field.list), field.offset,
            field.present_offset, field.items_offset, field.value_size, field.max_items, field.capacity})
        hash.add(number);
      for (const auto& word : field.words()) hash.add(word.value);
    }
  }
  for (const std::size_t number :
       {sizeof(Header), offsetof(Header, lock), sizeof(pthread_mutex_t), offsetof(Header, attention),
        offsetof(Header, journal), offsetof(Header, gpus), kHostAt, kEventsAt, kCallRulesAt, kGpusAt, symbol_count,
        sizeof(processes::Table), sizeof(processes::Client), sizeof(processes::Ended)})
    hash.add(number);
  return hash.value();
}

bool make_header(Header& header, std::size_t gpu_count) {
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  std::strncpy(header.version, NVMLKIT_VERSION, sizeof header.version - 1);
  header.size = total_size(gpu_count);
  header.gpu_count = static_cast<std::uint32_t>(gpu_count);
  header.creator = static_cast<std::uint32_t>(getpid());
  header.created = std::time(nullptr);
  pthread_mutexattr_t attributes;
  if (pthread_mutexattr_init(&attributes) != 0) return false;
  const bool made = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
                    pthread_mutex_init(&header.lock, &attributes) == 0;
  pthread_mutexattr_destroy(&attributes);
  return made;
}

}  // namespace nvmlkit::sim::state
