#!/usr/bin/env node
import * as modules from 'node:module';
import { unsetEmptyOfSdk } from '../table/environment.ts';
import { USAGE } from './exit-codes.ts';
import { gatherLines } from './gathered-lines.ts';
import { runProgram } from './program.ts';

// Node 22.8 and later keep what they have compiled; a subcommand is loaded after this line.
(modules as { readonly enableCompileCache?: () => void }).enableCompileCache?.();

/** The SDK's notice on the end of support for Node 20 is for maintainers (README), not for users. */
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** As in functions: the library for conditions converts times by way of the process's own zone (ADR 0020). */
process.env.TZ = 'UTC';

unsetEmptyOfSdk(process.env);

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

// A reader may close the pipe early, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    if (stream === process.stdout)
      process.stderr.write(`gatehouse: the output cannot be written: ${message}\n`);
    process.exit(USAGE);
  });
}

let isInterrupted = false;
const code = await runProgram(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  // Files, pipes and terminals are written at once (Node process-io).
  log: gatherLines(
    (text) => void process.stderr.write(text),
    (flush) => void process.once('exit', flush),
  ),
  isTerminal: process.stdout.isTTY === true,
  isErrorTerminal: process.stderr.isTTY === true,
  ...(process.stdin.isTTY && process.stdout.isTTY
    ? { terminal: { input: process.stdin, output: process.stdout } }
    : {}),
  onInterrupt: (listener) => {
    // Once: a second signal ends the process at once.
    const heard = (): void => {
      isInterrupted = true;
      listener();
    };
    for (const signal of SIGNALS) process.once(signal, heard);
    return () => {
      for (const signal of SIGNALS) process.off(signal, heard);
    };
  },
  input: async () => (await import('../testing/text-file.ts')).textOf('standard input', process.stdin),
  now: Date.now,
});
// What was interrupted may wait for an answer still.
if (isInterrupted) process.exit(code);
process.exitCode = code;
