SELECT shard, fence FROM shard ORDER BY shard
