# Checks that read the tree: layers, claims, formatting, documents.
check_main() {
  local bad=0 check
  for check in tools/checks/*.sh; do
    if ! bash "$check"; then
      say "  check failed: $(basename "$check" .sh)"
      bad=$((bad + 1))
    else
      passed=$((passed + 1))
    fi
  done
  failed=$((failed + bad))
  [ "$bad" -eq 0 ]
}
