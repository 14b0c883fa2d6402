#!/usr/bin/env bash
# image_test.sh SOURCE BUILD_DIR CPACK: builds the container image twice and looks into it; as root, runs its command.
# Ends with status 77, skipped, where a tool or Debian's archive cannot be had.
set -euo pipefail
source=$1 build=$2 cpack=$3
for tool in mmdebstrap umoci; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool (apt-get install $tool)"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
SOURCE_DATE_EPOCH=$(stat -c %Y "$source/CHANGELOG.md")
export SOURCE_DATE_EPOCH
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$folder/packages" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

failures=0
complain() { echo "$*"; failures=$((failures + 1)); }
image() { "$source/scripts/image" --no-install --packages "$folder/packages" --output "$folder/$1" --name example.org/nvmlkit:test; }

if ! output=$(image first 2>&1); then
  grep -q 'cannot be had' <<<"$output" && { echo "skipped: $output"; exit 77; }
  echo "$output"
  exit 1
fi
grep -q 'example.org/nvmlkit:test for ' <<<"$output" || complain "the script printed: $output"
sleep 1 # a time in the image would differ
image second >/dev/null 2>&1 || complain "the second image cannot be built"
cmp "$folder/first/nvmlkit.tar" "$folder/second/nvmlkit.tar" || complain "two builds from the same packages differ"
size=$(stat -c %s "$folder/first/nvmlkit.tar")
((size < 40000000)) || complain "the image has $size bytes"

umoci unpack --rootless --image "$folder/first/layout:example.org/nvmlkit:test" "$folder/bundle" || complain "umoci cannot unpack it"
root="$folder/bundle/rootfs"
for file in usr/bin/nvmlkit usr/share/nvmlkit/profiles/h100.yaml usr/share/doc/nvmlkit/LICENSE usr/share/doc/libc6/copyright etc/passwd; do
  [[ -f $root/$file ]] || complain "the image lacks $file"
done
find "$root" \( -name '*.hpp' -o -name '*.a' -o -name '*.gz' -o -name '*.cmake' \) -printf 'the image has %P\n' | grep . && complain "files that no program reads"
[[ $(stat -c %a "$root/tmp") == 1777 ]] || complain "/tmp has mode $(stat -c %a "$root/tmp")"
python3 - "$folder/bundle/config.json" "$folder/first" "$root" <<'PYTHON' || complain "see above"
import glob, json, os, sys
config, output, root = sys.argv[1:]
process = json.load(open(config))["process"]
assert (process["user"]["uid"], process["user"]["gid"]) == (65532, 65532), process["user"]
assert process["args"] == ["/usr/bin/nvmlkit", "--help"], process["args"]
(path,) = glob.glob(output + "/sbom-*.spdx.json")
bill = json.load(open(path))
assert bill == json.load(open(root + "/usr/share/sbom/nvmlkit.spdx.json"))
named = {package["name"] for package in bill["packages"] if package["SPDXID"] != "SPDXRef-Image"}
inside = set(os.listdir(root + "/var/lib/dpkg/status.d"))
assert named == inside and {"nvmlkit", "libc6"} <= named, (named, inside)
assert all(package["externalRefs"][0]["referenceLocator"].startswith("pkg:deb/") for package in bill["packages"][1:])
identifiers = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
assert all(link[end] in identifiers for link in bill["relationships"] for end in ("spdxElementId", "relatedSpdxElement"))
PYTHON

if [[ $(id -u) == 0 ]]; then
  inside() { chroot --userspec=65532:65532 "$root" /usr/bin/nvmlkit "$@" 2>&1; }
  output=$(inside run -m h100 -n 3 -- /usr/bin/nvmlkit list) || true
  [[ $(grep -c 'NVIDIA H100 80GB HBM3' <<<"$output") == 3 ]] || complain "the command in the image printed: $output"
  output=$(inside run -m h100 --driver 535 -- /usr/bin/nvmlkit caps) || true
  grep -q '535\.' <<<"$output" || complain "driver 535 in the image: $output"
fi

expect_error() { # expect_error TEXT ARGUMENT...
  local text=$1 output
  shift
  if output=$("$source/scripts/image" --no-install "$@" 2>&1); then complain "no error for $*"; fi
  grep -qF -- "$text" <<<"$output" || complain "for $*: $output"
}
mkdir "$folder/empty"
expect_error "no nvmlkit_VERSION_ARCHITECTURE.deb in $folder/empty" --packages "$folder/empty" --output "$folder/third"
expect_error "unknown argument '--frob'" --frob
expect_error "--name needs a value" --name
exit $((failures > 0))
