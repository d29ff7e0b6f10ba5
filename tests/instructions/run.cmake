# A ratchet on the work of the kernels: instructions per call counted by callgrind (v3 kernels, which is
# what valgrind's processor has) must not exceed bench/baseline.json by more than 2 percent. Counts are
# exact for one compiler, so the baseline is that of Debian 12's g++.
file(READ ${BASELINE} baseline)
string(JSON count LENGTH "${baseline}" instructions)
math(EXPR last "${count} - 1")
set(failed "")
foreach(index RANGE ${last})
  string(JSON task MEMBER "${baseline}" instructions ${index})
  string(JSON allowed GET "${baseline}" instructions ${task})
  foreach(calls 100 300)
    execute_process(COMMAND ${VALGRIND} --tool=callgrind --callgrind-out-file=/dev/null
                            ${PROGRAM} ${task} ${calls}
                    RESULT_VARIABLE status ERROR_VARIABLE text OUTPUT_QUIET)
    if(NOT status EQUAL 0 OR NOT text MATCHES "Collected : ([0-9]+)")
      message(FATAL_ERROR "${task}: valgrind failed\n${text}")
    endif()
    set(total_${calls} ${CMAKE_MATCH_1})
  endforeach()
  math(EXPR found "(${total_300} - ${total_100}) / 200")
  math(EXPR limit "${allowed} * 102 / 100")
  message("${task}: ${found} instructions, baseline ${allowed}")
  if(found GREATER limit)
    list(APPEND failed ${task})
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "more instructions than bench/baseline.json allows: ${failed}")
endif()
