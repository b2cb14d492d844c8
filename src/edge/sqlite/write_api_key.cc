// write_api_key.cc: API keys are made and removed.
#include "edge/sqlite/pattern_list.h"
#include "edge/sqlite/write_sets.h"

namespace semel::sqlite {

store::CommitAnswer write(Transaction& transaction, const store::CreateApiKey& create) {
  const access::ApiKey& key = create.key;
  if (key.tenant && !transaction.tenant(*key.tenant))
    return store::Refused{{Fault::not_found, "there is no such tenant"}};
  if (transaction.sql.find_api_key.query(key.id.text).next())
    return store::Refused{{Fault::conflict, "there is a key of this id"}};
  transaction.sql.insert_api_key.run(key.id.text, key.secret_hash, key.role, key.tenant, key.client,
                                     key.event_types.transform(patterns_json), create.now);
  return store::Committed{};
}

store::CommitAnswer write(Transaction& transaction, const store::DeleteApiKey& remove) {
  if (transaction.sql.delete_api_key.run(remove.id.text) == 0)
    return store::Refused{{Fault::not_found, "there is no such key"}};
  return store::Committed{};
}

}  // namespace semel::sqlite
