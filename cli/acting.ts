import type { Actor } from '../engine/index.ts';
import { isId } from '../table/identifiers.ts';
import { decisionKey } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import { UsageError } from './context.ts';
import { text, type ValuesOf } from './options.ts';
import { plain } from './print.ts';
import { lookUp, NameError, namesIn, referenceOf } from './references.ts';

/** The options of a question that say who acts for its subject. */
export const ACTING = {
  actor: text('<subject>', 'who acts for the subject, such as agent:ID'),
  mandate: text('<mandate>', 'with --actor: the mandate by which it acts, as ID or mandate:ID'),
};

/**
 * Who acts, and by which mandate: they exist, unless the question is about another instant.
 *
 * @throws UsageError for a mandate of nobody; NameError for what does not exist
 */
export async function actorOf(
  reader: Reader,
  { actor, mandate, at }: ValuesOf<typeof ACTING> & { readonly at?: number | undefined },
): Promise<Actor | undefined> {
  if (actor === undefined) {
    if (mandate !== undefined) throw new UsageError('--mandate is of --actor: give --actor too');
    return undefined;
  }
  const typed = { label: '--actor', kind: 'subject' } as const;
  const names = namesIn(reader);
  const subject =
    at === undefined ? (await lookUp(names, typed, actor)).ref : await referenceOf(names, typed, actor);
  if (mandate === undefined) return { subject };
  const id = mandate.replace(/^mandate:/, '');
  if (at === undefined) await assertMandate(reader, id);
  return { subject, mandate: `mandate:${id}` };
}

/** Throws NameError where an actor, or its mandate, is not in a table: a list would be empty. */
export async function assertActing(reader: Reader, actor: Actor | undefined): Promise<void> {
  if (!actor) return;
  await lookUp(namesIn(reader), { label: '--actor', kind: 'subject' }, actor.subject);
  if (actor.mandate !== undefined) await assertMandate(reader, actor.mandate.replace(/^mandate:/, ''));
}

async function assertMandate(reader: Reader, id: string): Promise<void> {
  const exists = isId(id) && (await reader.get(decisionKey({ type: 'mandate', id })));
  if (!exists) throw new NameError('name_unknown', `--mandate ${plain(id)} does not exist`);
}
