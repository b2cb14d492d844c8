DELETE FROM subscription WHERE subscription_key = ?1
