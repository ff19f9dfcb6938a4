# cmake -D SOURCE=web -D WORK=folder -D PAGE=report.html -D NODE=node -D NPM=npm -P ReportPage.cmake
# Bundles the page of darboux report. Without it all else works, so that a registry out of reach is no failure.
file(MAKE_DIRECTORY "${WORK}")
file(COPY "${SOURCE}/src" "${SOURCE}/package.json" "${SOURCE}/package-lock.json" "${SOURCE}/.npmrc" "${SOURCE}/build.mjs"
  DESTINATION "${WORK}")

# Packages are fetched anew only when the list of them has changed.
file(SHA256 "${SOURCE}/package-lock.json" wanted)
set(stamp "${WORK}/node_modules/.wanted")
set(installed "")
if(EXISTS "${stamp}")
  file(READ "${stamp}" installed)
endif()
if(NOT installed STREQUAL wanted)
  execute_process(
    COMMAND "${NPM}" ci --omit=dev --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000 --loglevel=error
    WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why TIMEOUT 300)
  if(failed)
    string(REGEX MATCH "^[^\n]*\n?[^\n]*\n?[^\n]*" why "${why}")  # its first lines
    message("${why}\nWithout the page of darboux report: npm could not fetch the packages. The next build tries again.")
    return()
  endif()
  file(WRITE "${stamp}" "${wanted}")
endif()
execute_process(COMMAND "${NODE}" build.mjs "${PAGE}" WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
