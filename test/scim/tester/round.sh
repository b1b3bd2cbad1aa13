#!/usr/bin/env bash
# A round of scim2-cli: a user and a group with it come, are changed, and go.
set -eu -o pipefail
export SCIM_CLI_URL=$SCIM_URL SCIM_CLI_HEADERS="Authorization: Bearer $SCIM_TOKEN"

id_of() { python -c 'import json, sys; print(json.load(sys.stdin)["id"])'; }
# expect WHAT JSON: fails unless the answer on standard input holds a text.
expect() { grep -q -- "$1" || { echo "no $1" >&2; exit 1; }; }

user=$(scim2 create user --user-name ann | id_of)
scim2 query user "$user" | expect '"userName": "ann"'
echo "{\"schemas\":[\"urn:ietf:params:scim:schemas:core:2.0:User\"],\"id\":\"$user\",\"userName\":\"ann\",\"displayName\":\"Ann\"}" |
  scim2 replace user | expect '"displayName": "Ann"'
scim2 modify user "$user" replace active false | expect '"active": false'
scim2 query user | expect '"totalResults": 1'
# of ID: a member, in JSON.
of() { echo "[{\"value\": \"$1\"}]"; }
other=$(scim2 create user --user-name bea | id_of)
group=$(scim2 create group --display-name staff | id_of)
scim2 modify group "$group" add members "$(of "$user")"
scim2 modify group "$group" add members "$(of "$other")"
scim2 query group "$group" | expect "$user"
scim2 query group "$group" | expect "$other"
scim2 modify group "$group" remove "members[value eq \"$user\"]"
scim2 query group "$group" | { ! grep -q -- "$user"; } || { echo "$user is left" >&2; exit 1; }
echo "{\"schemas\":[\"urn:ietf:params:scim:schemas:core:2.0:Group\"],\"id\":\"$group\",\"displayName\":\"people\",\"members\":$(of "$user")}" |
  scim2 replace group | expect '"displayName": "people"'
scim2 query group "$group" | expect "$user"
scim2 delete group "$group"
scim2 query group | expect '"totalResults": 0'
scim2 delete user "$user"
scim2 delete user "$other"
scim2 query user | expect '"totalResults": 0'
echo 'a round of scim2-cli is done'
