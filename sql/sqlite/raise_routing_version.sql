UPDATE tenant SET routing_version = routing_version + 1 WHERE tenant = ?1
