SELECT allowed_event_types FROM tenant WHERE tenant = ?1
