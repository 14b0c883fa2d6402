#!/usr/bin/env bash
# shared_symbols.sh NM LIBRARY: a shared build exports the bindings and nothing else, and needs no symbol of NVML.
set -euo pipefail
exported=$("$1" -DC --defined-only "$2" | sed -E 's/^[0-9a-f]+ [A-Za-z] //')
foreign=$(grep -vE '^((typeinfo|typeinfo name|vtable|guard variable) for )?nvmlkit::|^(non-virtual thunk|VTT)' <<<"$exported" || true)
[[ -z $foreign ]] || { printf 'exported beside the bindings:\n%s\n' "$(head -20 <<<"$foreign")"; exit 1; }
grep -q '^nvmlkit::nvml::Library::open(' <<<"$exported"
if "$1" -D --undefined-only "$2" | grep -E ' nvml[A-Z]'; then exit 1; fi
