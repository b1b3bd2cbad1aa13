"""Asks an AuthZEN policy decision point with Python's standard library only.

    PDP_URL=http://127.0.0.1:8080 PDP_TOKEN=gh1_... python3 client.py
"""
import json
import os
import urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is a fault: it could lead to anybody, with the token."""

    def redirect_request(self, *_):
        return None


HTTP = urllib.request.build_opener(NoRedirect)


def may(subject: str, action: str, resource: str, timeout: float = 2.0) -> bool:
    """Whether the user may perform the action on the record. Any fault means no."""
    question = {
        "subject": {"type": "user", "id": subject},
        "action": {"name": action},
        "resource": {"type": "record", "id": resource},
    }
    request = urllib.request.Request(
        os.environ["PDP_URL"] + "/access/v1/evaluation",
        data=json.dumps(question).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["PDP_TOKEN"],
            "Content-Type": "application/json",
        },
    )
    try:
        with HTTP.open(request, timeout=timeout) as answer:
            return answer.status == 200 and json.load(answer)["decision"] is True
    except Exception:
        return False


if __name__ == "__main__":
    print("alice write record-1:", "allow" if may("alice", "write", "record-1") else "deny")
    print("bob write record-1:", "allow" if may("bob", "write", "record-1") else "deny")
