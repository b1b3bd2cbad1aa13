"""Checks the server at SCIM_URL with scim2-tester, and fails on any error."""

import os
import sys
from collections import Counter
from uuid import uuid4

import scim2_tester.filling as filling
from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

# What the tester makes up: addresses of a domain that the tenant has verified, of which one is the only and primary one.
made_up = filling.get_random_example_value


def example(path):
    binding = path.resolve()
    model = binding.target_model.__name__ if binding and binding.target_model else ""
    if model == "Emails" and binding.target_field_name == "value":
        return f"{uuid4()}@example.com"
    return True if model == "Emails" and binding.target_field_name == "primary" else made_up(path)


filling.get_random_example_value = example

headers = {"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"}
with Client(base_url=os.environ["SCIM_URL"], headers=headers, timeout=60) as http:
    results = check_server(SyncSCIMClient(http))

broken = [each for each in results if each.status in (Status.ERROR, Status.CRITICAL, Status.DEVIATION)]
for each in broken:
    print(f"{each.status.name} {each.title} {each.resource_type or ''}: {each.reason}\n  {each.data}")
counts = Counter(each.status.name for each in results)
print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
passed = counts["SUCCESS"]
sys.exit(1 if broken or passed < 50 else 0)
