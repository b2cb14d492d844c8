INSERT INTO shard (shard, fence) VALUES (?1, 1)
