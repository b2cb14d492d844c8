SELECT id, secret_hash, role, tenant, client, event_types, created_at_ms FROM api_key ORDER BY id
