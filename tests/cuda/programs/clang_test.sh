#!/usr/bin/env bash
# clang_test.sh CLANG NVCC SOURCE NVMLKIT: builds a program with clang's CUDA mode and runs it on a simulated H100.
set -euo pipefail
clang=$1 source=$3 nvmlkit=$4
toolkit=$(dirname "$(dirname "$(readlink -f "$2")")")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# The toolkit as clang expects it. CUDA 13 has no texture references, and another way to name images.
mkdir "$folder/bin" "$folder/headers"
for part in include lib64 nvvm version.json bin/ptxas; do ln -s "$toolkit/$part" "$folder/$part"; done
touch "$folder/headers/texture_fetch_functions.h" "$folder/headers/texture_indirect_functions.h"
cat >"$folder/bin/fatbinary" <<END
#!/usr/bin/env bash
options=()
for option in "\$@"; do
  option=\$(sed -E 's/^--image=profile=sm_([^,]*)/--image3=kind=elf,sm=\1/; s/^--image=profile=compute_([^,]*)/--image3=kind=ptx,sm=\1/' <<<"\$option")
  options+=("\$option")
done
exec "$toolkit/bin/fatbinary" "\${options[@]}"
END
chmod +x "$folder/bin/fatbinary"

"$clang" -x cuda --cuda-path="$folder" --cuda-gpu-arch=sm_90 -std=c++17 -Wno-unknown-cuda-version -I "$folder/headers" -I "$toolkit/include/cccl" \
  "$source" -o "$folder/program" -L"$toolkit/lib64" -lcudart -lstdc++
"$nvmlkit" run -m h100 -- "$folder/program"
