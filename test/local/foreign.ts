/** Requests that a web page, or a name that resolves to this machine, makes, and those of programs. */
type Headers = Readonly<Record<string, string>>;
type Case = readonly [name: string, headersAt: (port: string) => Headers];

export const FOREIGN: readonly Case[] = [
  ['another origin', () => ({ origin: 'https://evil.example' })],
  ['an opaque origin', () => ({ origin: 'null' })],
  ['another port of this machine', () => ({ origin: 'http://127.0.0.1:1' })],
  ['this port under https', (port) => ({ origin: `https://127.0.0.1:${port}` })],
  [
    'an origin that only begins like this one',
    (port) => ({ origin: `http://127.0.0.1:${port}.evil.example` }),
  ],
  ['an origin with credentials', (port) => ({ origin: `http://x@127.0.0.1:${port}` })],
  ['a name that was made to resolve to this machine', (port) => ({ host: `evil.example:${port}` })],
  ['such a name below localhost', (port) => ({ host: `evil.localhost:${port}` })],
  ['a host without the port', () => ({ host: '127.0.0.1' })],
  ['another port in the host', () => ({ host: 'localhost:1' })],
  ['a host that is none', () => ({ host: '/' })],
];

export const OWN: readonly Case[] = [
  ['a program', () => ({})],
  ['one that says localhost', (port) => ({ host: `localhost:${port}` })],
  ['one that says LOCALHOST', (port) => ({ host: `LOCALHOST:${port}` })],
  ['one that says [::1]', (port) => ({ host: `[::1]:${port}` })],
  ['a page of the server itself', (port) => ({ origin: `http://127.0.0.1:${port}` })],
  ['any content type', () => ({ 'content-type': 'text/plain' })],
];
