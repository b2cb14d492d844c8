// writer_statements.h: the prepared statements of the writer's connection, each named as its file in sql/sqlite.
#pragma once

#include "edge/sqlite/statement.h"
#include "sql/queries.h"

namespace semel::sqlite {

struct WriterStatements {
  explicit WriterStatements(Connection& c) : connection(c) {}

  Connection& connection;
  Statement read_fences{connection, sql::read_fences};
  Statement find_tenant{connection, sql::find_tenant};
  Statement read_allowed_event_types{connection, sql::read_allowed_event_types};
  Statement read_routing{connection, sql::read_routing};
  Statement raise_routing_version{connection, sql::raise_routing_version};

  Statement find_event_key{connection, sql::find_event_key};
  Statement bind_event_key{connection, sql::bind_event_key};
  Statement find_batch_key{connection, sql::find_batch_key};
  Statement insert_batch{connection, sql::insert_batch};
  Statement bind_batch_key{connection, sql::bind_batch_key};
  Statement list_batch_items{connection, sql::list_batch_items};
  Statement insert_batch_item{connection, sql::insert_batch_item};
  Statement find_event{connection, sql::find_event};
  Statement read_event{connection, sql::read_event};
  Statement list_event_endpoints{connection, sql::list_event_endpoints};
  Statement insert_event{connection, sql::insert_event};
  Statement find_line{connection, sql::find_line};
  Statement insert_line{connection, sql::insert_line};
  Statement advance_line{connection, sql::advance_line};
  Statement find_tail{connection, sql::find_tail};
  Statement advance_tail{connection, sql::advance_tail};
  Statement insert_delivery{connection, sql::insert_delivery};

  Statement move_delivery{connection, sql::move_delivery};
  Statement begin_attempt{connection, sql::begin_attempt};
  Statement read_delivery{connection, sql::read_delivery};
  Statement find_line_of_delivery{connection, sql::find_line_of_delivery};
  Statement raise_highest_delivered{connection, sql::raise_highest_delivered};
  Statement insert_attempt{connection, sql::insert_attempt};
  Statement find_attempt{connection, sql::find_attempt};
  Statement insert_outcome{connection, sql::insert_outcome};
  Statement insert_late_outcome{connection, sql::insert_late_outcome};
  Statement store_endpoint_wait{connection, sql::store_endpoint_wait};

  Statement find_endpoint{connection, sql::find_endpoint};
  Statement find_endpoint_version{connection, sql::find_endpoint_version};
  Statement insert_endpoint{connection, sql::insert_endpoint};
  Statement insert_endpoint_secret{connection, sql::insert_endpoint_secret};
  Statement raise_endpoint_version{connection, sql::raise_endpoint_version};
  Statement mark_endpoint_deleted{connection, sql::mark_endpoint_deleted};
  Statement delete_endpoint_secrets{connection, sql::delete_endpoint_secrets};
  Statement delete_endpoint_subscriptions{connection, sql::delete_endpoint_subscriptions};
  Statement delete_endpoint_wait{connection, sql::delete_endpoint_wait};
  Statement list_open_deliveries_of_endpoint{connection, sql::list_open_deliveries_of_endpoint};
  Statement insert_subscription{connection, sql::insert_subscription};
  Statement find_subscription{connection, sql::find_subscription};
  Statement delete_subscription{connection, sql::delete_subscription};
  Statement insert_api_key{connection, sql::insert_api_key};
  Statement find_api_key{connection, sql::find_api_key};
  Statement delete_api_key{connection, sql::delete_api_key};
};

}  // namespace semel::sqlite
