SELECT name, routing_version FROM tenant WHERE tenant = ?1
