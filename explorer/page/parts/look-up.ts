import type { Found } from '../../../provisioning/index.ts';
import type { FormField } from '../../service/index.ts';
import { run } from '../load-page.ts';
import type { Send } from '../send.ts';

/** What can be looked up by a name. */
export type NamedKind = Exclude<FormField['names'], 'permission' | undefined>;

/** Something that a text may mean. */
export type Candidate = Omit<Found['candidates'][number], 'by'>;

/** What a text means: one thing, or why it is not known which. */
export type Meaning =
  | { readonly ref: string }
  | {
      readonly problem: string;
      /** What may be meant; each has another reference. */
      readonly candidates: readonly Candidate[];
      /** A name that was probably meant. */
      readonly meant?: string | undefined;
    };

/** Looks up a name, a path of names, an email, another unique value or a reference in the table. */
export async function lookUp(send: Send, kind: NamedKind, text: string): Promise<Meaning> {
  const found = await ask<Found>(send, 'name.find', { name: text, kind });
  if ('problem' in found) return { ...found, candidates: [] };
  const { candidates, more, elsewhere } = found;
  const [first] = candidates;
  if (first && candidates.length === 1 && !more) return { ref: first.ref };
  if (first) return severalOf(text, candidates, more);
  if (elsewhere.length > 0) return { problem: `there is no ${kind} ${text} there`, candidates: elsewhere };
  const suggested = await ask<{ meant?: string }>(send, 'name.suggest', { name: text, kind });
  const { meant } = 'problem' in suggested ? {} : suggested;
  return { problem: `there is no ${kind} ${text}`, candidates: [], meant };
}

/** A text that says too little. */
export const severalOf = (text: string, candidates: readonly Candidate[], more = false): Meaning => ({
  problem: `${text} may be ${more ? 'more than ' : ''}${candidates.length} of them: choose one`,
  candidates,
});

/** The result of a command that reads, or why there is none. */
async function ask<T>(send: Send, command: string, input: Readonly<Record<string, unknown>>) {
  const reply = await run<T>(send, { command, input });
  return reply.ok ? reply.result : { problem: reply.error.message };
}
