// keys.cc: /v1/keys. A key's text is shown in the answer that makes it, and never again. Who holds a key of one tenant
// sees and makes keys of that tenant only.
#include "api/answer.h"
#include "api/body.h"
#include "api/resources.h"
#include "api/views.h"

namespace semel::api {

namespace {

constexpr std::string_view kEveryTenant = "*";

Answered<access::Role> read_role(const JsonValue& root) {
  Answered<std::string> text = word(root, "role");
  if (!text) return std::unexpected(std::move(text.error()));
  const std::optional<access::Role> role = access::parse_role(*text);
  if (!role)
    return std::unexpected(
        member_problem("MEMBER_INVALID", "role", "producer, manager, reader or operator is expected"));
  return *role;
}

// Without the member: the tenant of the call.
Answered<std::optional<TenantKey>> read_tenant(const Services& services, const ApiCall& call, const JsonValue& root) {
  Answered<std::optional<std::string>> name = optional_word(root, "tenant");
  if (!name) return std::unexpected(std::move(name.error()));
  if (!*name || **name == services.tenants.at(call.tenant).name) return call.tenant;
  if (!call.caller.every_tenant) return refuse("TENANT_FORBIDDEN", "this key makes keys of its own tenant only");
  if (**name == kEveryTenant) return std::nullopt;
  const engine::KnownTenant* tenant = services.tenants.find(**name);
  if (tenant == nullptr) return std::unexpected(member_problem("MEMBER_INVALID", "tenant", "no tenant has this name"));
  return tenant->key;
}

Answered<engine::NewKey> read_new(const Services& services, const ApiCall& call, const JsonValue& root) {
  if (Answered<void> members = check_members(root, {"role", "client", "tenant", "event_types"}); !members)
    return std::unexpected(std::move(members.error()));
  Answered<access::Role> role = read_role(root);
  if (!role) return std::unexpected(std::move(role.error()));
  Answered<std::string> client = word(root, "client");
  if (!client) return std::unexpected(std::move(client.error()));
  Answered<std::optional<TenantKey>> tenant = read_tenant(services, call, root);
  if (!tenant) return std::unexpected(std::move(tenant.error()));
  auto patterns = optional_patterns(root, "event_types");
  if (!patterns) return std::unexpected(std::move(patterns.error()));
  return engine::NewKey{
      .role = *role, .tenant = *tenant, .client = *std::move(client), .event_types = *std::move(patterns)};
}

void append_members(JsonWriter& json, const Services& services, const store::ApiKeyRow& row) {
  json.member("id", row.key.id.text)
      .member("role", access::name_of(row.key.role))
      .member("client", row.key.client)
      .member("tenant", row.key.tenant ? std::string_view(services.tenants.at(*row.key.tenant).name) : kEveryTenant);
  if (row.key.event_types) append_strings(json, "event_types", *row.key.event_types);
  json.member("created_at", format_rfc3339(row.created_at));
}

bool may_see(const ApiCall& call, const store::ApiKeyRow& row) {
  return call.caller.every_tenant || row.key.tenant == call.tenant;
}

}  // namespace

Co<Answer> create_key(Services& services, ApiCall call) {
  const Answered<JsonDocument> document = read_body(call.request);
  if (!document) co_return std::unexpected(document.error());
  Answered<engine::NewKey> wanted = read_new(services, call, document->root());
  if (!wanted) co_return std::unexpected(std::move(wanted.error()));
  const Result<engine::MadeKey> made = co_await services.keys.create(*std::move(wanted));
  if (!made) co_return refuse(made.error());
  JsonWriter json;
  json.object();
  append_members(json, services, made->row);
  json.member("key", made->text);
  co_return json_response(201, json.end().take());
}

Co<Answer> list_keys(Services& services, ApiCall call) {
  JsonWriter json;
  json.object().key("keys").array();
  for (const store::ApiKeyRow& row : services.keys.list()) {
    if (!may_see(call, row)) continue;
    json.object();
    append_members(json, services, row);
    json.end();
  }
  co_return json_response(200, json.end().end().take());
}

Co<Answer> delete_key(Services& services, ApiCall call) {
  const ApiKeyId id{call.path.front()};
  for (const store::ApiKeyRow& row : services.keys.list())
    if (row.key.id == id && !may_see(call, row)) co_return refuse("NOT_FOUND", "no API key has this id");
  const Result<void> gone = co_await services.keys.remove(id);
  if (!gone) co_return refuse(gone.error());
  co_return no_content();
}

}  // namespace semel::api
