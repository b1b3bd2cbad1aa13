import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

/**
 * The embedded DynamoDB engine: dynoxide, a native binary with SQLite inside, in memory or on a file.
 * It is for development and tests; production is DynamoDB itself.
 */
export interface EmbeddedEngine {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

/** The path of the binary for this platform; undefined when none is published. */
export function findBinary(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@dynoxide/${process.platform}-${process.arch}/package.json`,
    );
    return join(dirname(manifest), 'dynoxide');
  } catch {
    return undefined;
  }
}

/** Below those that systems give to whoever asks for any: nobody gets one of these by chance before it is used. */
const PORTS = [20_000, 32_000] as const;

/** A port that was free a moment ago. The engine cannot say which port 0 gave it, so we choose one. */
export function freePort(): Promise<number> {
  const port = randomInt(...PORTS);
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error),
    );
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}

const ATTEMPTS = 5;

/**
 * An address that no web page finds. The engine takes requests of any page (`access-control-allow-origin: *`, any
 * `Host`, any signature), and can listen on TCP only. Linux has 16 million addresses for this machine: with the port,
 * there are 10^11 places to look in. Elsewhere there is one address, and ports can be tried.
 */
const hiddenHost = (): string =>
  process.platform === 'linux'
    ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
    : '127.0.0.1';

/**
 * Starts the engine and waits until it answers.
 *
 * @param file where to keep the data; in memory when left out
 */
export async function startEmbeddedEngine(file?: string): Promise<EmbeddedEngine> {
  const binary = findBinary();
  if (!binary) {
    throw new Error(
      `no embedded DynamoDB engine is published for ${process.platform}-${process.arch}: ` +
        'start DynamoDB Local or use a table on AWS, and set DYNAMODB_ENDPOINT',
    );
  }
  for (let attempt = 1; ; attempt++) {
    const host = hiddenHost();
    const port = await freePort();
    const args = ['--host', host, '--port', String(port), ...(file ? ['--db-path', file] : [])];
    const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-500);
    });
    const endpoint = `http://${host}:${port}`;
    if (await answers(endpoint, child)) return { endpoint, stop: () => stop(child) };
    await stop(child);
    // Somebody else may have taken the port between the probe and the start.
    if (attempt === ATTEMPTS) throw new Error(`the embedded DynamoDB engine did not start: ${said.trim()}`);
  }
}

/** Polls until the engine answers HTTP at all, or has ended, or ten seconds are over. */
async function answers(endpoint: string, child: ChildProcess): Promise<boolean> {
  const until = Date.now() + 10_000;
  while (child.exitCode === null && Date.now() < until) {
    const up = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    );
    if (up) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 2_000).unref();
  });
}
