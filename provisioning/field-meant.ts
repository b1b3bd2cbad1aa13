import { closest } from '../table/similar-words.ts';

/** Other words for what a field names, and the fields that are meant, best first (ADR 0039). */
const OTHER_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['scope', ['parent', 'tenant']],
  ['parent', ['scope']],
  ['tenant', ['scope', 'parent']],
  ['subject', ['user']],
]);

/**
 * The field of a command that was probably meant by a name that is none: the one for the same idea, or else one that is
 * spelled alike.
 */
export function fieldMeant(command: string, name: string, known: readonly string[]): string | undefined {
  const [entity = '', verb] = command.split('.');
  const own = entity === 'scope' ? 'scope' : entity === 'subject' ? 'user' : 'id';
  const isOwn = verb !== 'create' && (name === entity || name === 'id');
  const words = isOwn ? [own] : (OTHER_WORDS.get(name) ?? []);
  return words.find((word) => known.includes(word)) ?? closest(name, known);
}
