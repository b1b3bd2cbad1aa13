import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfiguration } from '../local/configuration.ts';
import packageJson from '../package.json' with { type: 'json' };
import { gatehouse } from './cli/support.ts';
import { blocksOf, GUIDES, ROOT, textOf } from './documents/documents.ts';
import { cliMain } from './support/cli-process.ts';

/**
 * Every command in docs/ runs as printed beside `gatehouse dev` and the `serve` of docs/authzen.md, which are
 * processes: one shell per document runs its commands one after the other. The command line answers in this process,
 * as to start it ninety times takes most of the time; test/package/command-line.package.test.ts starts it, and
 * test/newcomer/readme.package.test.ts the sources of a checkout.
 */
/** Commands that cannot run here, and why. What is in neither list runs. */
const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm (?:ci$|install )/, 'installs from the network'],
  [
    /^(?:LIVE_REVOCATION=true |NODE_OPTIONS="[^"]+" )?npx gatehouse-authz dev\b/,
    'runs until it is stopped: test/local/dev.integration.test.ts',
  ],
  [
    /^(?:\w+=\S+ )*npx gatehouse-authz doctor /,
    'needs AWS and an issuer: test/cli/doctor.integration.test.ts',
  ],
  [
    /--function gatehouse-(?:stage|live)-provisioning\b/,
    'needs deployed functions: test/docs-examples/workflows.integration.test.ts',
  ],
  [/^npx gatehouse-authz command user\.erase /, 'a person who is not there: test/provisioning/erase.test.ts'],
  [/^npx gatehouse-authz explore\b/, 'runs until it is stopped'],
  [/^npx gatehouse-authz import /, 'needs the other product: test/cli/import'],
  [/ --against /, 'needs a decision log: test/cli/transcripts/plan-against.txt'],
  [/^docker /, 'needs a container engine'],
  [/^npx gatehouse-authz serve /, 'runs already'],
  [/^npx serverless (?:package|deploy) /, 'test/stack packages; a deployment needs AWS'],
  [/^sam deploy /, 'test/stack and test/package try the template; a deployment needs AWS'],
  [/^k6 run /, 'needs k6, and a deployed API'],
  [/^npx esbuild /, 'test/package bundles a service so'],
  [/^aws /, 'needs AWS'],
  [/^(?:OPENFGA=.* )?npm run (?:-s )?(?:bench|proof|build)\b/, 'takes minutes'],
  [/^npx vitest run --project integration test\/table\/conformance/, 'needs DynamoDB Local'],
  [/^(?:go install|npm pack|git clone|apt-get install) /, 'installs from the network'],
];

/** Commands that do not end with 0 when all is well: a decision is "no", or some of the input is refused. */
const ENDS_WITH_1: readonly RegExp[] = [
  / plan /,
  / explain /,
  / route test GET \/Projects/,
  / route gaps openapi/,
  / check ann invoices:pay:invoice /,
  / load users users\.csv/,
];

/** Documents that start a stack with a manifest of their own. */
const MANIFESTS: Readonly<Record<string, string>> = { 'docs/guides/agents.md': 'agents.yaml' };

/** Files that the last block of their kind in the document holds, not the first. */
const IN_THE_LAST_BLOCK = ['openfga.test.yaml', 'live.test.yaml'];

/** The files that the commands of a document read beside it: each is a block of the document, by the ending of its name. */
function filesOf(document: string): readonly (readonly [name: string, text: string])[] {
  const commands = toRunIn(document).join('\n');
  const named = commands.match(/(?<= )[\w.-]+\.(?:yaml|csv)$/gm) ?? [];
  const read = named.filter((name) => !new RegExp(`(?:--output|>) ${name}`).test(commands));
  const all = new Set([...read, MANIFESTS[document] ?? []].flat());
  return [...all].flatMap((name) => {
    const blocks = blocksOf(document).filter(({ language }) => name.endsWith(`.${language}`));
    const block = blocks.at(IN_THE_LAST_BLOCK.includes(name) ? -1 : 0);
    return block === undefined ? [] : [[name, block.text] as const];
  });
}

/** Documents whose commands read the whole table: while it is small. */
const OF_ALL = ['docs/limits.md', 'docs/internals/assumptions.md', 'docs/internals/releasing.md'];
/** Documents whose examples are about the same people: in this order. */
const OF_A_SCHOOL = ['docs/guard-your-service.md', 'docs/cli.md', 'docs/manifests.md', 'docs/routes.md'];

/** Whether a quote is open at the end: the command goes on in the next line. */
const isOpen = (text: string): boolean => /'/.test(text.replaceAll(/"(?:\\.|[^"\\])*"|'[^']*'/gs, ''));

/** Lines, with those that belong to one quoted text in one. */
function joined(lines: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (const line of lines) {
    const last = all.at(-1);
    if (last !== undefined && isOpen(last)) all.splice(-1, 1, `${last}\n${line}`);
    else all.push(line);
  }
  return all;
}

/** The commands of a document: lines of shell, with those that go on in the next one. */
const commandsOf = (document: string): readonly string[] =>
  blocksOf(document)
    .filter(({ language }) => ['sh', 'bash', 'shell', 'console'].includes(language))
    .flatMap(({ text }) => joined(text.replaceAll('\\\n', ' ').split('\n')))
    .map((line) => line.replace(/^\$ /, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

const toRunIn = (document: string): readonly string[] =>
  commandsOf(document).filter((command) => !NOT_RUN.some(([pattern]) => pattern.test(command)));

/** Documents whose commands another test types: test/newcomer, test/runbooks. */
const isTypedElsewhere = (document: string): boolean =>
  ['README.md', 'docs/tutorial.md'].includes(document) || document.startsWith('docs/runbooks/');

const PRINTING = [...new Set([...OF_ALL, ...OF_A_SCHOOL, ...GUIDES])].filter(
  (document) => toRunIn(document).length > 0 && !isTypedElsewhere(document),
);

let folder: string;
let stack: Awaited<ReturnType<typeof startStack>>;
/** `serve` as docs/authzen.md starts it, and what that prints. */
let server: ChildProcess;
let served: Readonly<Record<'PDP_URL' | 'PDP_TOKEN', string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-documents-'));
  const [at, started] = await Promise.all([serveCli(), startStack(), startServer()]);
  stack = started;
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  // The registry cannot be reached: `npx` runs this checkout's own package, and no other.
  const { name } = packageJson;
  const unknown = `{ echo "npx $1 is not ${name}" >&2; exit 127; }`;
  script(
    join(bin, 'npx'),
    `[ "$1" = ${name} ] || ${unknown}
call=$(mktemp -d ${folder}/call-XXXXXX)
env -0 > $call/env; printf '%s\\0' "$PWD" "$@" > $call/args; cat > $call/input
curl -sS --data $call ${at} || exit 127
cat $call/out; cat $call/error >&2; exit $(cat $call/code)`,
  );
});

afterAll(async () => {
  cli.close();
  await Promise.all([stack.process, server].map(end));
  rmSync(folder, { recursive: true, force: true });
});

function script(file: string, text: string): void {
  writeFileSync(file, `#!/usr/bin/env bash\n${text}\n`);
  chmodSync(file, 0o755);
}

const cli = createServer((request, response) => {
  request.on('data', async (call: Buffer) => {
    await answer(call.toString());
    response.end();
  });
});

/** The command line, as `npx` below asks for it. */
const serveCli = (): Promise<string> =>
  new Promise((resolve) =>
    cli.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(cli.address() as AddressInfo).port}`)),
  );

/** Runs one command in the folder and the environment of the shell that types it. */
async function answer(call: string): Promise<void> {
  const given = (name: string) => readFileSync(join(call, name), 'utf8');
  const [cwd = '', , ...args] = given('args').split('\0').slice(0, -1);
  const variables = given('env').split('\0').slice(0, -1);
  const env = Object.fromEntries(variables.map((each) => each.split(/=(.*)/s).slice(0, 2)));
  const before = process.cwd();
  process.chdir(cwd);
  const { out, error, code } = await gatehouse(args, { env, input: async () => given('input') }).finally(() =>
    process.chdir(before),
  );
  for (const [name, text] of Object.entries({ out, error, code: `${code}` }))
    writeFileSync(join(call, name), text);
}

const run = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess =>
  spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });

/** What a process prints until it has printed this. */
const shownBy = (started: ChildProcess, until: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    started.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (until.test(text)) resolve(text);
    });
    started.once('exit', () => reject(new Error(`it ended: ${text}`)));
  });

async function startServer(): Promise<void> {
  const [command = ''] = /^npx gatehouse-authz serve .*$/m.exec(textOf('docs/authzen.md')) ?? [];
  const args = command
    .replace(/--port \d+/, '--port 0')
    .split(' ')
    .slice(2);
  server = run('node', [await cliMain(), ...args]);
  const screen = await shownBy(server, /^token /m);
  const real = (word: string) => new RegExp(`^${word} (\\S+)$`, 'm').exec(screen)?.[1] ?? '';
  served = { PDP_URL: real('ready'), PDP_TOKEN: real('token') };
}

function end(each: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => each.once('exit', resolve));
  each.kill('SIGTERM');
  return ended;
}

/** Addresses as documents print them, and as this stack has them. */
type Addresses = readonly (readonly [printed: string, real: string])[];

async function startStack(...manifest: readonly string[]) {
  const { PORT, DYNAMODB_PORT, LAMBDA_PORT } = readConfiguration({});
  const started = run('node', [await cliMain(), 'dev', ...manifest], {
    PORT: '0',
    DYNAMODB_PORT: '0',
    LAMBDA_PORT: '0',
  });
  const screen = await shownBy(started, /^ready /m);
  const real = (label: string) =>
    String(new RegExp(`^ *${label} +http://(127\\.0\\.0\\.1:\\d+)`, 'm').exec(screen)?.[1]);
  const addresses: Addresses = [
    [`127.0.0.1:${PORT}`, real('gateway')],
    [`127.0.0.1:${DYNAMODB_PORT}`, real('DynamoDB')],
    [`127.0.0.1:${LAMBDA_PORT}`, real('Lambda Invoke API')],
  ];
  return { process: started, addresses };
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

const promised = (
  run: typeof execFile,
  file: string,
  args: readonly string[],
  options: object = {},
): Promise<Ran> =>
  new Promise((resolve) => {
    run(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });

/** The environment that docs/cli.md asks for, which holds in all documents. */
const ENVIRONMENT = /^export TABLE_NAME=.*$/m.exec(textOf('docs/cli.md'))?.[0] ?? '';

const MARK = '@@ended';

/** What documents name of this checkout. `init` makes a package.json of its own. */
const OF_CHECKOUT = readdirSync(ROOT).filter((name) => !name.startsWith('.') && !/^package/.test(name));

/** An own folder for a document, as a reader's project beside a checkout. */
function folderOf(document: string): string {
  const own = join(folder, document.replaceAll('/', '-'));
  mkdirSync(own);
  for (const name of OF_CHECKOUT) symlinkSync(join(ROOT, name), join(own, name));
  return own;
}

/** Runs commands in one shell; answers how each ended. */
async function runAll(
  commands: readonly string[],
  cwd: string,
  { addresses }: { readonly addresses: Addresses },
): Promise<readonly Ran[]> {
  const real = (text: string) => addresses.reduce((all, [printed, is]) => all.replaceAll(printed, is), text);
  const lines = [ENVIRONMENT, ...commands.flatMap((command) => [command, `printf '\\n${MARK} %s\\n' "$?"`])];
  const { output } = await promised(
    execFile,
    'bash',
    ['-c', `exec 2>&1 </dev/null\n${real(lines.join('\n'))}`],
    {
      cwd,
      maxBuffer: 2 ** 26,
      env: {
        ...process.env,
        ...served,
        PATH: `${join(folder, '.bin')}:${process.env.PATH}`,
        AWS_REGION: 'eu-central-1',
      },
    },
  );
  const parts = output.split(new RegExp(`^${MARK} (\\d+)\\n`, 'm'));
  return commands.map((_, position) => ({
    output: parts[2 * position] ?? '',
    code: Number(parts[2 * position + 1] ?? 255),
  }));
}

/** Runs the commands of a document; answers those that did not end as they should, with their output. */
async function failuresOf(document: string): Promise<string> {
  const own = folderOf(document);
  for (const [name, text] of filesOf(document)) writeFileSync(join(own, name), text);
  const commands = toRunIn(document);
  const manifest = MANIFESTS[document];
  const its = manifest === undefined ? stack : await startStack(join(own, manifest));
  const ran = await runAll(commands, own, its);
  if (its !== stack) await end(its.process);
  const failed = commands.flatMap((command, position) => {
    const { code, output } = ran[position] as Ran;
    const expected = ENDS_WITH_1.some((pattern) => pattern.test(command)) ? 1 : 0;
    return code === expected ? [] : [`${command}\nended with ${code}, not ${expected}:\n${output}`];
  });
  return failed.join('\n\n');
}

test.each(PRINTING)('%s', async (document) => {
  expect(await failuresOf(document)).toBe('');
});

test('every exception is of a command that is printed', () => {
  const all = GUIDES.flatMap(commandsOf);
  const unused = [...NOT_RUN.map(([pattern]) => pattern), ...ENDS_WITH_1].filter(
    (pattern) => !all.some((command) => pattern.test(command)),
  );
  expect(unused).toEqual([]);
});
