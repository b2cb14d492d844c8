INSERT INTO endpoint_wait (tenant, endpoint_key, until_ms, step_ms) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (tenant, endpoint_key) DO UPDATE SET until_ms = excluded.until_ms, step_ms = excluded.step_ms
