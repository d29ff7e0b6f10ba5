# cmake -DOUTPUT=file.cpp -DFILES=a.c,b.h -P embed_c.cmake
#
# Writes C files into one C++ source as raw strings.

string(REPLACE "," ";" files "${FILES}")
set(code "#include \"fmu/embedded_c.hpp\"\n\nnamespace ulna {\n\nconst EmbeddedC embedded_c_files[] = {\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${text}")
  # One literal for each line of the file: compilers have limits.
  string(REPLACE "\\x0a" "\\n\"\n     \"" bytes "${bytes}")
  string(APPEND code "    {\"${name}\",\n     \"${bytes}\"},\n")
endforeach()
string(APPEND code "    {nullptr, nullptr},\n};\n\n}  // namespace ulna\n")
file(WRITE "${OUTPUT}" "${code}")
