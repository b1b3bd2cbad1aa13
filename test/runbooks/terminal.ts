import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatehouse } from '../cli/support.ts';
import { blocksOf } from '../documents/documents.ts';

/** The commands of a runbook that can be typed without an account of AWS, in their order. */
export const commandsOf = (runbook: string): readonly string[] =>
  blocksOf(`docs/runbooks/${runbook}`)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line !== '' && !/^(?:aws|export|npx serverless) /.test(line));

export interface Typed {
  readonly code: number;
  readonly output: string;
}

/** A terminal in a folder of its own, beside a table. */
export function openTerminal(folder: string, env: Readonly<Record<string, string>>) {
  const inFolder = (word: string): string =>
    /^[\w-]+\.(?:yaml|json|txt)$/.test(word) ? join(folder, word) : word;

  /** The command line, in this process: as each `npx gatehouse-authz` would, without the time to start one. */
  async function ours(line: string): Promise<Typed> {
    const [command = '', target] = line.split(' > ');
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const { code, out, error } = await gatehouse(words.slice(2).map(inFolder), { env });
    if (target !== undefined) writeFileSync(join(folder, target), out);
    return { code, output: `${out}${error}` };
  }

  /** `xargs … npx gatehouse-authz … < FILE`: the command for each line of the file, as many at once as it says. */
  async function forEachLine(line: string): Promise<Typed> {
    const [, parallel, placeholder, command = '', file = ''] =
      /^xargs -P (\d+) -I (\w+) (npx gatehouse-authz .*) < (\S+)$/.exec(line) ?? [];
    if (!parallel || !placeholder) throw new Error(`not understood: ${line}`);
    const rest = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
    const done: Typed[] = [];
    const work = async (): Promise<void> => {
      for (let next = rest.shift(); next !== undefined; next = rest.shift())
        done.push(await ours(command.replaceAll(placeholder, next)));
    };
    await Promise.all(Array.from({ length: Number(parallel) }, work));
    return done.find(({ code }) => code !== 0) ?? { code: 0, output: '' };
  }

  const shell = (line: string): Promise<Typed> =>
    new Promise((resolve) => {
      const child = spawn('bash', ['-c', line], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString();
        });
      child.once('close', (code) => resolve({ code: code ?? 255, output }));
    });

  return {
    /** Types a line as it is printed. */
    type: (line: string): Promise<Typed> =>
      line.startsWith('npx gatehouse-authz ')
        ? ours(line)
        : line.startsWith('xargs ')
          ? forEachLine(line)
          : shell(line),
    read: (name: string): string => readFileSync(join(folder, name), 'utf8'),
    write: (name: string, text: string): void => writeFileSync(join(folder, name), text),
    has: (name: string): boolean => existsSync(join(folder, name)),
  };
}

export type Terminal = ReturnType<typeof openTerminal>;
