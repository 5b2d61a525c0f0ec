# Translates the IDL with TAO's compiler, and writes for the C++ compiler and the
# linker where TAO is: in ACE_ROOT and TAO_ROOT, or where pkg-config says.
set -eu
modules="TAO_CosEvent_Serv TAO_CosEvent_Skel TAO_CosEvent TAO_Messaging TAO_Valuetype TAO_PI TAO_CodecFactory TAO_PortableServer TAO_AnyTypeCode TAO ACE"
# -w: its headers are full of what compilers warn of today.
flags="-DUSE_TAO -w -include ahead.hpp"
if [ -n "${ACE_ROOT:-}" ] && [ -n "${TAO_ROOT:-}" ]; then
  folder=$ACE_ROOT/lib
  PATH="$ACE_ROOT/bin:$TAO_ROOT/TAO_IDL:$PATH"
  flags="$flags -I$ACE_ROOT -I$TAO_ROOT -I$TAO_ROOT/orbsvcs"
  libraries="-L$folder"
  for module in $modules; do libraries="$libraries -l$module"; done
else
  folder=$(pkg-config --variable=libdir TAO)
  PATH="$(pkg-config --variable=prefix TAO)/bin:$PATH"
  flags="$flags $(pkg-config --cflags $modules)"
  libraries=$(pkg-config --libs $modules)
fi
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# The older kind of rpath, because it also counts for libraries that these need.
libraries="$libraries -Wl,--disable-new-dtags,-rpath,$folder -Wl,-rpath-link,$folder"
# Without the operators to put our types into an Any: nothing needs them, and g++ 12
# doesn't find them either.
tao_idl -GC -Sa -St Bench.idl
echo "$flags" > compile.flags
echo "$libraries" > link.flags
