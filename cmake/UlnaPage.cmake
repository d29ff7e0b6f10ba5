# ulna_page(OUTPUT): the page of web/ as a C++ source that defines ulna::page_template.
#
# tools/build-page fetches the packages of web/package-lock.json into the build tree and bundles the
# page. Where npm is missing or cannot fetch them, the template is empty and `ulna report` says so; the
# next build tries again.

function(ulna_page output)
  find_program(NPM npm)
  mark_as_advanced(NPM)
  if(NOT NPM)
    message(STATUS "npm was not found: Ulna is built without the page of its report")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*
       ${PROJECT_SOURCE_DIR}/web/test/*)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(install_options --omit=dev)
  if(ULNA_BUILD_TESTS)
    set(install_options "")
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/build-page ${web} ${PROJECT_BINARY_DIR}/web ${output}
            ${install_options}
    DEPENDS ${sources} ${web}/package.json ${web}/package-lock.json ${web}/.npmrc ${web}/build.mjs
            ${web}/tsconfig.json ${web}/eslint.config.mjs
            ${PROJECT_SOURCE_DIR}/tools/build-page
    COMMENT "Bundling the page of the report"
    VERBATIM)
endfunction()
