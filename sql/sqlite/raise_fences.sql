-- To one more than the highest, all of them: they have one owner.
UPDATE shard SET fence = (SELECT max(fence) FROM shard) + 1
