import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { contextOf, type Value, type Variables } from '../../../../engine/conditions/declarations.ts';
import type { Declaration, Declarations } from '../../../../table/properties.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SOURCES = ['main.go', 'go.mod', 'go.sum'];

/** What to install where Go is missing. */
export const WITHOUT_GO =
  'cel-go is needed to compare with: install Go 1.25 or newer (https://go.dev/dl) and put `go` on the PATH, or into /usr/local/go';

/** The command `go`, or undefined if there is none. */
export async function findGo(): Promise<string | undefined> {
  for (const command of ['go', '/usr/local/go/bin/go']) {
    try {
      await promisify(execFile)(command, ['version']);
      return command;
    } catch {}
  }
  return undefined;
}

/**
 * Builds the program, unless its sources were built before.
 *
 * @returns its path, in the folder for temporary files
 * @throws Error with what the compiler says
 */
export async function buildProgram(go: string): Promise<string> {
  const digest = createHash('sha256');
  for (const name of SOURCES) digest.update(readFileSync(join(HERE, name), 'utf8'));
  const program = join(tmpdir(), `gatehouse-cel-go-${digest.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  const building = `${program}.${process.pid}`;
  await promisify(execFile)(go, ['build', '-trimpath', '-o', building, '.'], { cwd: HERE });
  renameSync(building, program);
  return program;
}

/** A value as main.go reads it. */
function encode(value: Value): unknown {
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'number') return { double: value };
  if (value instanceof Date) return { time: value.toISOString() };
  if (Array.isArray(value)) return { list: value.map(encode) };
  if (value instanceof Map) return { map: [...value].map(([key, each]) => [key, encode(each as Value)]) };
  return value;
}

export const toLine = (expression: string, variables: Variables): string => {
  const entries = Object.entries(variables).map(([name, value]) => [name, encode(value as Value)]);
  return JSON.stringify({ expression, variables: Object.fromEntries(entries) });
};

/** The declared types as main.go reads them. */
function toTypes(declarations: Declarations): string {
  const typesOf = (of: string, built?: ReadonlyMap<string, Declaration>) =>
    Object.fromEntries([...(built ?? declarations.get(of) ?? [])].map(([name, { type }]) => [name, type]));
  const entity = (name: string) => ({ type: 'string', id: 'string', properties: `${name}Properties` });
  return JSON.stringify({
    Subject: entity('Subject'),
    SubjectProperties: typesOf('subject:user'),
    Resource: entity('Resource'),
    ResourceProperties: typesOf('resource:record'),
    Action: { name: 'string', properties: 'ActionProperties' },
    ActionProperties: typesOf('action'),
    Context: typesOf('context', contextOf(declarations)),
  });
}

/** A process with cel-go. */
export interface CelGo {
  /**
   * Its answers: `true`, `false`, `error …` or `refused …`, one for each line.
   *
   * @throws Error if the process has ended
   */
  readonly answersOf: (lines: readonly string[]) => Promise<readonly string[]>;
  readonly stop: () => void;
}

/** @param declarations of `subject:user`, `resource:record`, `action` and `context` */
export function startCelGo(program: string, declarations: Declarations): CelGo {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: { readonly answer: (text: string) => void; readonly fail: (error: Error) => void }[] = [];
  let failure: Error | undefined;
  const end = (error: Error): void => {
    failure ??= error;
    for (const { fail } of waiting.splice(0)) fail(failure);
  };
  child.on('error', end);
  child.on('close', (status) => end(new Error(`the program with cel-go has ended: ${status}`)));
  // What is written to a process that has ended fails; `close` says so.
  child.stdin.on('error', () => {});
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) waiting.shift()?.answer(line);
  });
  child.stdin.write(`${toTypes(declarations)}\n`);
  return {
    answersOf: (lines) => {
      if (failure) return Promise.reject(failure);
      const answers = lines.map(
        () => new Promise<string>((answer, fail) => void waiting.push({ answer, fail })),
      );
      child.stdin.write(lines.map((line) => `${line}\n`).join(''));
      return Promise.all(answers);
    },
    stop: () => void child.kill(),
  };
}
