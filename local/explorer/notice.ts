import type { ServerResponse } from 'node:http';
import { headersOfNotice } from './headers.ts';

/** For browsers without a session: they do not get the page's own style sheet. */
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; }
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
