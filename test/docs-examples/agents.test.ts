import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { McpEndpoint, McpGuardOptions } from '../../middleware/mcp/index.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { createMandates } from '../../provisioning/index.ts';
import { blocksOf, ROOT } from '../documents/documents.ts';
import { folderInCheckout } from '../support/checkout-folder.ts';
import { createMemoryWorld } from '../support/world.ts';

/** The server of docs/guides/agents.md, called by an agent with the token of the mandate that the guide makes. */
const GUIDE = 'docs/guides/agents.md';
const blockOf = (language: string) =>
  blocksOf(GUIDE).find((block) => block.language === language)?.text ?? '';
const folder = folderInCheckout('agents');

type Invoices = (parts: Pick<McpGuardOptions, 'engine' | 'use'>) => McpEndpoint;

async function serverOfGuide(): Promise<Invoices> {
  const text = blockOf('ts').replace(
    /'gatehouse-authz(\/[^']+)'/g,
    (_, name: keyof typeof packageJson.exports) => {
      const entry = packageJson.exports[`.${name}` as never] as { readonly default: string };
      return `'${entry.default.replace('./dist', ROOT.replace(/\/$/, '')).replace(/js$/, 'ts')}'`;
    },
  );
  const file = join(folder, 'server.ts');
  writeFileSync(file, text);
  return (await import(file)).invoices;
}

/** What the command line finds for the names of the guide. */
const REFS: Readonly<Record<string, string>> = {
  ann: 'user:ann',
  assistant: 'agent:assistant',
  Contoso: 'account:contoso',
};

const LISTS: ReadonlySet<string> = new Set(['permissions', 'scopes']);

/** What a command of the guide gives its mandate. */
const inputOf = (id: string): Readonly<Record<string, unknown>> => {
  const command = new RegExp(`mandate\\.create id=${id} (?:.*\\\\\\n)*.*`).exec(
    readFileSync(join(ROOT, GUIDE), 'utf8'),
  );
  const pairs = [...(command?.[0] ?? '').matchAll(/(\w+)=(?:'([^']*)'|(\$\([^)]*\))|(\S+))/g)];
  return Object.fromEntries(
    pairs.flatMap(([, name = '', quoted, shell, plain]) => {
      if (shell !== undefined) return [];
      const text = quoted ?? plain ?? '';
      const value = /^[[{]|^true$/.test(text) ? JSON.parse(text) : (REFS[text] ?? text);
      return [[name, LISTS.has(name) ? [value] : value]];
    }),
  );
};

test('an agent lists and pays by its mandate, to the end of its budget, and then to the end of the mandate', async () => {
  const world = createMemoryWorld();
  await world.apply(blockOf('yaml'));
  const endsAt = new Date(world.clock.now() + 3_600_000).toISOString();
  const reading = await world.run('mandate.create', inputOf('reading'));
  const paying = await world.run('mandate.create', { ...inputOf('paying'), token: true, endsAt });
  world.settle();
  const { use } = createMandates(world);
  const engine = world.newEngine();
  const endpoint = (await serverOfGuide())({ engine, use });

  const url = new URL('https://mcp.contoso.example/mcp');
  const clientWith = async (token: unknown) => {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const headers = { authorization: `Bearer ${token}` };
    const fetch = (to: string | URL, init?: RequestInit) => endpoint(new Request(to, init));
    await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } }));
    return async (name: string, more: object = {}) => {
      const { content } = await client.callTool({ name, arguments: { account: 'contoso', ...more } });
      return (content as { text: string }[])[0]?.text;
    };
  };
  const read = await clientWith(reading.token);
  const pay = await clientWith(paying.token);

  expect(await read('list')).toBe('The invoices that user:ann may see');
  expect(await read('pay', { amount: 1 })).toBe('refused: mandate_permission');
  expect(await pay('pay', { amount: 300 })).toBe('300 paid');
  expect(await pay('pay', { amount: 300 })).toBe('refused: budget_spent');
  expect(await pay('list')).toBe('refused: mandate_permission');
  await world.run('mandate.end', { id: 'reading' });
  world.settle();
  await expect(read('list')).rejects.toThrow();
  expect(await pay('pay', { amount: 200 })).toBe('200 paid');
  world.clock.advance(3_600_000);
  await expect(pay('pay', { amount: 0 })).rejects.toThrow();
});
