# cmake -DOUTPUT=file.cpp -DROBOTS=a.yaml,b.yaml -P embed_robots.cmake
#
# Writes the robot files into one C++ source as raw strings.

string(REPLACE "," ";" robots "${ROBOTS}")
set(code "#include \"shipped.hpp\"\n\nnamespace ulna {\n\nconst EmbeddedRobot embedded_robots[] = {\n")
foreach(robot IN LISTS robots)
  get_filename_component(name "${robot}" NAME_WE)
  file(READ "${robot}" text)
  set(group "")
  if(robot MATCHES "/benchmarks/")
    set(group "benchmarks")
  elseif(robot MATCHES "/robots/arms/")
    set(group "arms")
  endif()
  string(APPEND code "    {\"${name}\", \"${group}\", R\"ulna_robot(${text})ulna_robot\"},\n")
endforeach()
string(APPEND code "    {nullptr, nullptr, nullptr},\n};\n\n}  // namespace ulna\n")
file(WRITE "${OUTPUT}" "${code}")
