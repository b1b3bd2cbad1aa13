import { type Candidate, type Found, oneMeant } from '../names/find.ts';
import type { Queries } from './queries.ts';

/** Names in a manifest of what only the table has. */
const WORDS = { scope: 'scope', 'role-template': 'role template' } as const;

/** What a name means in the table, or what is wrong with it. */
export async function meantInTable(
  queries: Queries,
  kind: keyof typeof WORDS,
  name: string,
): Promise<Candidate | { readonly problem: string }> {
  const found = (await queries.read('name.find', { name, kind })) as unknown as Found | undefined;
  const one = found && oneMeant(found, true);
  if (one) return one;
  const several = found && found.candidates.length > 0;
  return {
    problem: several
      ? `${name} is the name of several ${WORDS[kind]}s: give a longer path, or an id`
      : `there is no ${WORDS[kind]} ${name}`,
  };
}
