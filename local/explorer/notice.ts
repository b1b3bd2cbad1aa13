import type { ServerResponse } from 'node:http';
import { headersOfNotice } from './headers.ts';

/** In the colours of the page, for browsers that do not get the page's own style sheet. */
const STYLE = `
:root { color-scheme: light dark; --surface: #f6f7f9; --background: #ffffff; --text: #16202b; --line: #d5dae1; }
@media (prefers-color-scheme: dark) {
  :root { --surface: #1a2129; --background: #12171d; --text: #e6ebf1; --line: #333e4a; }
}
body {
  margin: 0; background: var(--background); color: var(--text);
  font: 0.9375rem / 1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1 { margin: 0; padding: 0.5rem 0.75rem; font-size: 1rem; background: var(--surface);
  border-bottom: 1px solid var(--line); }
p { margin: 0.75rem; max-width: 40rem; overflow-wrap: anywhere; }
`;
const HEADERS = headersOfNotice(STYLE);

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

/** Answers with a page of a title and a sentence. */
export function sendNotice(
  outgoing: ServerResponse,
  status: number,
  { title, text }: { readonly title: string; readonly text: string },
): void {
  outgoing.writeHead(status, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
  outgoing.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</main>
</body>
</html>
`);
}
