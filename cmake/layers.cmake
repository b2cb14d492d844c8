# The layers, lowest first. tools/layers.txt states which folder may include which; ./dev check enforces it.
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(IDN2 REQUIRED IMPORTED_TARGET libidn2)

file(WRITE ${CMAKE_BINARY_DIR}/generated/semel_version.h
  "#pragma once\n#define SEMEL_VERSION \"${PROJECT_VERSION}\"\n")

# Failpoints are chosen when linking: the shipped program gets the empty ones, the test program those that kill.
add_library(semel_failpoints_off STATIC src/base/failpoint/off.cc)
add_library(semel_failpoints_on STATIC src/base/failpoint/on.cc)
target_link_libraries(semel_failpoints_off PUBLIC semel_flags)
target_link_libraries(semel_failpoints_on PUBLIC semel_flags)

semel_module(base src/base DEPS fmt::fmt PkgConfig::SIMDJSON)
semel_module(core_signature src/core/signature DEPS semel_base OpenSSL::Crypto)
semel_module(core_egress src/core/egress DEPS semel_base PkgConfig::IDN2)
target_compile_definitions(core_egress_test PRIVATE SEMEL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")  # tests/vectors
semel_module(core_retry src/core/retry DEPS semel_base TEST_DEPS rapidcheck)
semel_module(core_delivery src/core/delivery DEPS semel_core_retry TEST_DEPS rapidcheck)
semel_module(core_admission src/core/admission DEPS semel_core_retry TEST_DEPS rapidcheck)
semel_module(core_routing src/core/routing DEPS semel_base)
semel_module(core_event src/core/event DEPS semel_base semel_core_routing)
semel_module(core_endpoint src/core/endpoint DEPS semel_core_retry semel_core_egress semel_core_routing semel_core_signature)
semel_module(core_access src/core/access DEPS semel_core_routing OpenSSL::Crypto)
semel_module(core_idempotency src/core/idempotency DEPS semel_base OpenSSL::Crypto TEST_DEPS rapidcheck)
semel_module(core_intake src/core/intake DEPS semel_core_event semel_core_idempotency semel_core_routing TEST_DEPS rapidcheck)
semel_module(core_inbox src/core/inbox DEPS semel_base TEST_DEPS rapidcheck)
if(SEMEL_SECOND_OPINION)
  get_property(programs GLOBAL PROPERTY semel_test_programs)
  list(JOIN programs "\n" programs)
  file(WRITE ${CMAKE_BINARY_DIR}/test-programs.txt "${programs}\n")
  return()
endif()

find_package(Boost 1.81 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(CARES REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)

add_library(semel_core INTERFACE)
target_link_libraries(semel_core INTERFACE semel_core_signature semel_core_egress semel_core_retry semel_core_delivery
  semel_core_admission semel_core_routing semel_core_event semel_core_endpoint semel_core_access semel_core_idempotency
  semel_core_intake semel_core_inbox)

semel_module(port src/port DEPS semel_core)
semel_module(edge_os src/edge/os DEPS semel_port Boost::headers OpenSSL::Crypto Threads::Threads)
semel_module(edge_net src/edge/net DEPS semel_edge_os Boost::headers OpenSSL::SSL PkgConfig::CARES)
# sql/sqlite/*.sql, one query a file, compiled in as semel::sql::NAME.
include(cmake/sql.cmake)
semel_embed_sql(semel_sql sql/sqlite)

semel_module(edge_sqlite src/edge/sqlite DEPS semel_port semel_sql SQLite::SQLite3 Threads::Threads TEST_DEPS semel_edge_os semel_edge_secrets)
target_sources(edge_sqlite_test PRIVATE src/port/testing/store_conformance_test.cc)
semel_module(edge_secrets src/edge/secrets DEPS semel_port OpenSSL::Crypto)
semel_module(edge_telemetry src/edge/telemetry DEPS semel_port spdlog::spdlog)
semel_module(http src/http DEPS semel_port TEST_DEPS semel_edge_net)
semel_module(engine src/engine DEPS semel_port TEST_DEPS semel_edge_sqlite semel_edge_os semel_edge_secrets)
semel_embed_sql(semel_sql_inbox sql/inbox_sqlite inbox)
semel_module(client src/client DEPS semel_core semel_port semel_edge_sqlite semel_sql_inbox)
semel_module(api src/api DEPS semel_engine TEST_DEPS semel_edge_sqlite semel_edge_os)
semel_module(app_assembly src/app/assembly DEPS semel_api semel_http)
semel_module(app src/app DEPS semel_app_assembly semel_edge_net semel_edge_sqlite semel_edge_secrets semel_edge_telemetry PkgConfig::TOMLPLUSPLUS)
semel_embed_sql(semel_sql_listen sql/listen_sqlite listen)
semel_module(cli_listen src/cli/listen DEPS semel_client semel_http semel_edge_os semel_sql_listen OpenSSL::Crypto)
semel_module(cli src/cli DEPS semel_app semel_cli_listen semel_edge_net CLI11::CLI11)

# mimalloc: write-sets are made on the loop's thread and freed on the writer's, which costs a fifth of the server's CPU
# with the C library's allocator (docs/performance.md). Sanitizers bring their own.
add_library(semel_allocator INTERFACE)
if(NOT SEMEL_SANITIZE)
  find_package(mimalloc REQUIRED)
  target_link_libraries(semel_allocator INTERFACE -Wl,--no-as-needed mimalloc -Wl,--as-needed)
endif()

add_executable(semel src/main.cc)
target_link_libraries(semel PRIVATE semel_cli semel_failpoints_off semel_allocator)
add_executable(semel-test src/main.cc)  # the same program with failpoints that act on SEMEL_FP
target_link_libraries(semel-test PRIVATE semel_cli semel_failpoints_on semel_allocator)

add_subdirectory(demo)
add_subdirectory(bench)
add_subdirectory(sim)
add_subdirectory(tests)
add_subdirectory(fuzz)

get_property(programs GLOBAL PROPERTY semel_test_programs)
list(JOIN programs "\n" programs)
file(WRITE ${CMAKE_BINARY_DIR}/test-programs.txt "${programs}\n")
