import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** What the checker has to find: no violation, or one of the named property. */
export type Expectation = 'holds' | { readonly violates: string };

/** One configuration of a model: `test/proof/formal/NAME/CONFIGURATION.cfg` for `formal/NAME/NAME.tla`. */
export interface Configuration {
  /** `NAME/CONFIGURATION`. */
  readonly name: string;
  readonly folder: string;
  readonly specification: string;
  readonly file: string;
  readonly expected: Expectation;
  /** Whether CI checks it. */
  readonly isInCi: boolean;
}

/**
 * What a configuration says of itself in the comments at its top: `\* expect: holds` or
 * `\* expect: violates PROPERTY`, and `\* share: ci` if CI checks it.
 *
 * @throws Error if it does not say what is expected
 */
export function readHeader(text: string, name: string): Pick<Configuration, 'expected' | 'isInCi'> {
  const [, verdict, property] = /^\\\* expect: (?:(holds)|violates (\w+))$/m.exec(text) ?? [];
  if (!verdict && !property)
    throw new Error(`${name} does not begin with "\\* expect: holds" or "\\* expect: violates PROPERTY"`);
  return { expected: property ? { violates: property } : 'holds', isInCi: /^\\\* share: ci$/m.test(text) };
}

/** All configurations of all models, by name. */
export function findConfigurations(): readonly Configuration[] {
  const models = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return models.flatMap(({ name: model }) => {
    const folder = join(FOLDER, model);
    const files = readdirSync(folder).filter((file) => file.endsWith('.cfg'));
    return files.sort().map((file) => {
      const name = `${model}/${file.slice(0, -'.cfg'.length)}`;
      const header = readHeader(readFileSync(join(folder, file), 'utf8'), name);
      return { name, folder, specification: `${model}.tla`, file, ...header };
    });
  });
}

/** What the checker found: no violation, one of the named property, or neither because it failed. */
export type Outcome = Expectation | 'failed';

/** The outcome in the checker's output, and the distinct states that it visited. */
export function readOutput(output: string): { readonly outcome: Outcome; readonly states: number } {
  const states = [...output.matchAll(/([\d,]+) distinct states found/g)].at(-1)?.[1] ?? '0';
  const violated = /^Error: (?:Invariant|Action property) (\w+) is violated/m.exec(output)?.[1];
  const isComplete = output.includes('Model checking completed. No error has been found.');
  return {
    outcome: violated ? { violates: violated } : isComplete ? 'holds' : 'failed',
    states: Number(states.replaceAll(',', '')),
  };
}

/** `holds`, `violates PROPERTY` or `failed`. */
export const inWords = (outcome: Outcome): string =>
  typeof outcome === 'string' ? outcome : `violates ${outcome.violates}`;

export const isAsExpected = (outcome: Outcome, expected: Expectation): boolean =>
  inWords(outcome) === inWords(expected);
