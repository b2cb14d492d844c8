SELECT tenant, name, sealed_fingerprint_key FROM tenant ORDER BY tenant
