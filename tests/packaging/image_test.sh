#!/usr/bin/env bash
# image_test.sh SOURCE PACKAGES: builds the container image twice from the Debian packages of a folder and looks into it; as
# root, runs its command.
# Ends with status 77, skipped, where a tool or Debian's archive cannot be had.
set -euo pipefail
source=$1 packages=$2
for tool in mmdebstrap umoci; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool (apt-get install $tool)"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
SOURCE_DATE_EPOCH=$(stat -c %Y "$source/CHANGELOG.md")
export SOURCE_DATE_EPOCH

failures=0
complain() { echo "$*"; failures=$((failures + 1)); }
image() { # image OUTPUT PACKAGES [OPTION...]
  "$source/scripts/image" --no-install --output "$folder/$1" --packages "$2" --name example.org/nvmlkit:test "${@:3}"
}

if ! output=$(image first "$packages" 2>&1); then
  grep -q 'cannot be had' <<<"$output" && { echo "skipped: $output"; exit 77; }
  echo "$output"
  exit 1
fi
grep -q 'example.org/nvmlkit:test for ' <<<"$output" || complain "the script printed: $output"
# Packages of two architectures. The second package has the files of the first under the name of the other architecture: an
# index, Debian's packages and the bill made with it are those of a real one.
own=$(dpkg --print-architecture) other=arm64
[[ $own != arm64 ]] || other=amd64
dpkg-deb -R "$packages"/nvmlkit_*.deb "$folder/other"
sed -i "s/^Architecture: .*/Architecture: $other/" "$folder/other/DEBIAN/control"
mkdir "$folder/both-packages"
cp "$packages"/nvmlkit_*.deb "$folder/both-packages"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$folder/other" "$folder/both-packages" >/dev/null

sleep 1 # a time in the image would differ
output=$(image second "$folder/both-packages" --architecture "$own" 2>&1) || complain "no second image: $output"
grep -q " for $own: " <<<"$output" || complain "with --architecture $own the script printed: $output"
cmp "$folder/first/nvmlkit.tar" "$folder/second/nvmlkit.tar" || complain "two builds from the same package differ"
size=$(stat -c %s "$folder/first/nvmlkit.tar")
((size < 40000000)) || complain "the image has $size bytes"

umoci unpack --rootless --image "$folder/first/layout:example.org/nvmlkit:test" "$folder/bundle" || complain "umoci cannot unpack it"
root="$folder/bundle/rootfs"
for file in usr/bin/nvmlkit usr/lib/nvmlkit/nvmlkit-cdi-hook usr/share/nvmlkit/profiles/h100.yaml usr/share/doc/nvmlkit/LICENSE usr/share/doc/libc6/copyright etc/passwd; do
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

# An image for two architectures.
output=$(image both "$folder/both-packages" 2>&1) || complain "no image for two architectures: $output"
python3 - "$folder/first/layout" "$folder/both/layout" "$own" <<'PYTHON' || complain "see above"
import json, pathlib, sys, tarfile
one, both = (pathlib.Path(path) for path in sys.argv[1:3])
def blob(layout, entry): return layout / "blobs" / entry["digest"].replace(":", "/")
def entry_of(layout):
    (entry,) = json.loads((layout / "index.json").read_text())["manifests"]
    return entry
index = json.loads(blob(both, entry_of(both)).read_text())
images = {image["platform"]["architecture"]: image for image in index["manifests"]}
assert set(images) == {"amd64", "arm64"} and all(image["platform"]["os"] == "linux" for image in images.values()), images
assert images[sys.argv[3]]["digest"] == entry_of(one)["digest"], "the image for this machine depends on the other one"
for architecture, triple in (("amd64", "x86_64-linux-gnu"), ("arm64", "aarch64-linux-gnu")):
    manifest = json.loads(blob(both, images[architecture]).read_text())
    assert json.loads(blob(both, manifest["config"]).read_text())["architecture"] == architecture, architecture
    with tarfile.open(blob(both, manifest["layers"][0])) as layer:
        assert any(name.endswith(f"lib/{triple}/libc.so.6") for name in layer.getnames()), architecture
PYTHON

for archive in first:1 both:2; do
  tar -tf "$folder/${archive%:*}/nvmlkit.tar" | grep -x manifest.json >/dev/null || complain "no manifest.json by this name in the archive"
  python3 - "$folder/${archive%:*}/layout" "${archive#*:}" <<'PYTHON' || complain "see above"
import json, pathlib, sys
layout, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
described = json.loads((layout / "manifest.json").read_text())
names = ["example.org/nvmlkit:test"] if count == 1 else ["example.org/nvmlkit:test-amd64", "example.org/nvmlkit:test-arm64"]
assert sorted(name for image in described for name in image["RepoTags"]) == names, described
for image in described:
    config = json.loads((layout / image["Config"]).read_text())
    assert len(config["rootfs"]["diff_ids"]) == len(image["Layers"]) and all((layout / layer).is_file() for layer in image["Layers"])
    assert count == 1 or image["RepoTags"][0].endswith("-" + config["architecture"]), image
PYTHON
done
# Another distribution's Docker may not start here; then the program says why.
"$source/tests/packaging/image_in_docker.py" example.org/nvmlkit:test "$folder/first/nvmlkit.tar" "$folder/both/nvmlkit.tar" \
  || [[ $? == 77 ]] || complain "the image in Docker: see above"

expect_error() { # expect_error TEXT ARGUMENT...
  local text=$1 output
  shift
  if output=$("$source/scripts/image" --no-install "$@" 2>&1); then complain "no error for $*"; fi
  grep -qF -- "$text" <<<"$output" || complain "for $*: $output"
}
mkdir "$folder/empty"
expect_error "no nvmlkit_VERSION_ARCHITECTURE.deb in $folder/empty" --packages "$folder/empty" --output "$folder/third"
expect_error "no nvmlkit_VERSION_$other.deb in $packages" --architecture "$other" --packages "$packages"
expect_error "no packages for 'mips' on this machine" --architecture mips
expect_error "unknown argument '--frob'" --frob
expect_error "--name needs a value" --name
exit $((failures > 0))
