import {
  createCoverage,
  createLoggedQuestions,
  type LogCoverage,
  type LoggedQuestions,
  readLogLine,
} from '../../../../provisioning/index.ts';
import { GatehouseError } from '../../../../table/index.ts';
import { MOST_LOGGED_QUESTIONS } from '../../../service/method-inputs.ts';

/** A decision log that was opened, or why it was not. */
export type OpenedLog = { readonly name: string } & (
  | { readonly logged: LoggedQuestions; readonly coverage: LogCoverage }
  | { readonly problem: string }
);

/** Reads a decision log in the page: lines of JSON, packed by gzip where the name says so. */
export async function readLog(file: Pick<File, 'name' | 'stream'>): Promise<OpenedLog> {
  const { name } = file;
  const covered = createCoverage({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY });
  const collected = createLoggedQuestions(MOST_LOGGED_QUESTIONS);
  const take = (line: string): void => {
    const record = readLogLine(line);
    if (covered.add(record) && record.is === 'decision') collected.add(record);
  };
  try {
    const bytes = name.endsWith('.gz')
      ? file.stream().pipeThrough(new DecompressionStream('gzip'))
      : file.stream();
    const texts = bytes.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let read = await texts.read(); !read.done; read = await texts.read()) {
      const lines = (rest + read.value).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(take);
    }
    take(rest);
  } catch (error) {
    const problem = error instanceof GatehouseError ? error.message : 'cannot be read';
    return { name, problem: `${name}: ${problem}; gatehouse plan --against reads larger logs` };
  }
  const logged = collected.all();
  if (logged.questions.length > 0) return { name, logged, coverage: covered.coverage() };
  return { name, problem: `${name} has no decision about a permission of a subject at a scope` };
}
