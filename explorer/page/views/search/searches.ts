import type { Inputs, Results } from '../../../service/index.ts';
import type { LoadPage } from '../../load-page.ts';
import { askedIn } from '../../parts/asked.ts';
import { SCOPE_TYPE_NAMES, SUBJECT_TYPES } from '../../registry.ts';
import type { Send } from '../../send.ts';

export type Search = keyof typeof SEARCHES;

/** One answer of a search. */
export interface Row {
  /** A reference, or the name of a page or permission. */
  readonly ref: string;
  readonly name: string;
  readonly description?: string | undefined;
}

/** What is asked with (two of three), what that finds, and what limits it to one type of what it finds. */
export const SEARCHES = {
  who: {
    title: 'Who',
    sentence: 'Everybody who may do it there: by a role at the place or above it, or as an administrator.',
    asked: ['permission', 'scope'],
    finds: 'subject',
    method: 'subjects',
    typedBy: 'type',
    types: SUBJECT_TYPES,
    /** The command that lists types which were added. */
    added: 'subject-type.list',
    none: 'Nobody may',
  },
  what: {
    title: 'What',
    sentence: 'Every page and permission that somebody is allowed at a place.',
    asked: ['subject', 'scope'],
    finds: 'permission',
    method: 'permissions',
    typedBy: 'kind',
    types: ['page', 'permission'],
    added: undefined,
    none: 'Nothing is allowed',
  },
  where: {
    title: 'Where',
    sentence: 'Every place where somebody may do it: those where a role is granted, and all below them.',
    asked: ['subject', 'permission'],
    finds: 'scope',
    method: 'scopes',
    typedBy: 'type',
    types: SCOPE_TYPE_NAMES,
    added: 'scope-type.list',
    none: 'Nowhere',
  },
} as const;

export const searchOf = (name: string | undefined): Search =>
  name !== undefined && Object.hasOwn(SEARCHES, name) ? (name as Search) : 'who';

/** Rows of one page. */
const LIMIT = 100;

/** What the address asks; undefined where a part of it is missing or cannot be read. */
export function questionOf(state: Readonly<Record<string, string>>) {
  const { asked, method, typedBy } = SEARCHES[searchOf(state.search)];
  const question = askedIn(state, asked);
  if (!question) return undefined;
  const input = { ...question, ...(state.type && { [typedBy]: state.type }), limit: LIMIT };
  return {
    key: JSON.stringify([method, input]),
    load:
      (send: Send): LoadPage<Row> =>
      async (cursor) => {
        const reply = await send(method, { ...input, cursor } as Inputs[typeof method]);
        return reply.ok
          ? { ok: true, result: { ...reply.result, items: reply.result.items.map(rowOf) } }
          : reply;
      },
  };
}

/** A page or permission is called by its name alone. */
const rowOf = (item: Results['subjects' | 'permissions']['items'][number]): Row =>
  'permission' in item
    ? { ref: item.permission, name: item.permission, description: item.description }
    : item;
