"""JSON, written and read."""

import json

document = {
    "users": [
        {"id": n, "name": f"user {n}", "score": n / 8, "tags": ["a", "ü", '"'], "active": n % 2 == 0, "boss": None}
        for n in range(250)
    ],
    "nested": [[[[n]]] for n in range(100)],
}
text = json.dumps(document)
back = json.loads(text)
pretty = json.dumps(back, indent=2, sort_keys=True, ensure_ascii=False)
pairs = json.loads(text, object_pairs_hook=lambda pairs: len(pairs))
print(back == document, len(text), len(pretty), pairs)
