import * as z from 'zod';
import { messageOf } from '../../local/message-of.ts';
import type { Aws } from './aws.ts';
import { COSTS, type StepName } from './options.ts';

/** What a step found, for the page. */
export interface Section {
  readonly title: string;
  /** Lines of Markdown. */
  readonly lines: readonly string[];
}

export interface ProofOptions {
  /** By name, in their order. */
  readonly steps: Readonly<Record<StepName, (signal: AbortSignal) => Promise<Section>>>;
  /** Whether a step that costs may be taken. */
  readonly ask: (name: string, costs: string) => Promise<boolean>;
  /** Removes what was made; says what is left. */
  readonly remove: () => Promise<readonly string[]>;
  readonly say: (line: string) => void;
  /** Ends the proof, but not the removal. */
  readonly signal: AbortSignal;
}

export interface Proven {
  readonly sections: readonly Section[];
  /** Why it ended early. */
  readonly ended?: string;
  /** What could not be removed. */
  readonly left: readonly string[];
}

const identity = z.object({ Account: z.string() });

/**
 * Nothing is done in an account that was not named.
 *
 * @throws Error naming both
 */
export async function assertAccount(aws: Aws, account: string): Promise<void> {
  const { Account: ours } = identity.parse(await aws(['sts', 'get-caller-identity']));
  if (ours !== account) throw new Error(`these credentials are of account ${ours}, not of ${account}`);
}

/** Takes the steps until one fails, is not allowed, or the signal comes; then removes, whatever happened. */
export async function prove({ steps, ask, remove, say, signal }: ProofOptions): Promise<Proven> {
  const sections: Section[] = [];
  const take = async (): Promise<string | undefined> => {
    for (const name of Object.keys(steps) as StepName[]) {
      if (signal.aborted) return 'interrupted';
      if (name !== 'measure' && !(await ask(name, COSTS[name]))) return `${name}: not confirmed`;
      say(`== ${name}`);
      try {
        sections.push(await steps[name](signal));
      } catch (error) {
        return `${name}: ${signal.aborted ? 'interrupted' : messageOf(error)}`;
      }
    }
    return undefined;
  };
  const ended = await take();
  if (ended !== undefined) say(ended);
  const left = await remove().catch((error: unknown) => [messageOf(error)]);
  return { sections, left, ...(ended === undefined ? {} : { ended }) };
}
