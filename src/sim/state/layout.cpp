#include "sim/state/layout.hpp"

#include <cstring>

#include "sim/generated/model_descriptors.hpp"
#include "storage/hash.hpp"

namespace nvmlkit::sim::state {

std::uint64_t layout_hash() {
  storage::Hash hash;
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
  using storage::Header;
  for (const std::size_t number :
       {sizeof(Header), offsetof(Header, lock), sizeof(pthread_mutex_t), offsetof(Header, changes),
        offsetof(Header, journal), offsetof(Header, records), kAttentionAt, kHostAt, kEventsAt, kCallRulesAt, kGpusAt,
        symbol_count, sizeof(processes::Table), sizeof(processes::Client), sizeof(processes::Ended),
        sizeof(processes::MemoryLimit)})
    hash.add(number);
  return hash.value();
}

storage::Format private_format() {
  storage::Format format{"nvmlkit state\n\x1a", 0, {}};
  std::strncpy(format.version, NVMLKIT_VERSION, sizeof format.version - 1);
  return format;
}

storage::Format file_format() {
  auto format = private_format();
  format.layout = layout_hash();
  return format;
}

}  // namespace nvmlkit::sim::state
