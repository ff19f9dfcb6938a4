# add_report_page(FILE): the target report_page, which bundles the page of reports where there is a Node.js; FILE may be missing after it.
set(DARBOUX_ROOT "${CMAKE_CURRENT_LIST_DIR}/..")

function(add_report_page page)
  find_program(DARBOUX_NODE NAMES node nodejs)
  find_program(DARBOUX_NPM npm)
  if(NOT DARBOUX_NODE OR NOT DARBOUX_NPM)
    set(without_page "No Node.js with npm here: reports will lack their page (install nodejs and npm to have it)")
    message(STATUS "${without_page}")
    add_custom_target(report_page COMMAND "${CMAKE_COMMAND}" -E echo "${without_page}" VERBATIM)
    return()
  endif()
  cmake_path(NORMAL_PATH DARBOUX_ROOT OUTPUT_VARIABLE root)
  set(web "${root}web")
  set(script "${root}cmake/ReportPage.cmake")
  cmake_path(GET page PARENT_PATH folder)
  file(GLOB web_sources CONFIGURE_DEPENDS "${web}/src/*")
  add_custom_command(OUTPUT "${page}" BYPRODUCTS "${folder}/render.mjs"
    COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${web}" -D "WORK=${PROJECT_BINARY_DIR}/web" -D "PAGE=${page}"
      -D "NODE=${DARBOUX_NODE}" -D "NPM=${DARBOUX_NPM}" -P "${script}"
    DEPENDS ${web_sources} "${web}/package.json" "${web}/package-lock.json" "${web}/build.mjs" "${script}"
    COMMENT "Bundling the page of reports" VERBATIM)
  add_custom_target(report_page ALL DEPENDS "${page}")
endfunction()
