import type { Inputs } from '../../../service/index.ts';
import { type LoadPage, searchPages } from '../../load-page.ts';
import type { Asked } from '../../parts/fields.ts';
import { readGiven } from '../../parts/given-text.ts';
import { askedInstant } from '../../parts/instant.ts';
import type { Send } from '../../send.ts';

export type Search = 'who' | 'what' | 'where';

/** One answer of a search. */
export interface Row {
  /** A reference, or the name of a page or permission. */
  readonly ref: string;
  readonly name: string;
  readonly description?: string | undefined;
}

export interface SearchKind {
  readonly title: string;
  readonly sentence: string;
  /** What it is asked with: two of three. The third is what it finds. */
  readonly asked: readonly Asked[];
  readonly finds: Asked;
}

export const SEARCHES: Readonly<Record<Search, SearchKind>> = {
  who: {
    title: 'Who',
    sentence: 'Everybody who may do it there: by a role at the place or above it, or as an administrator.',
    asked: ['permission', 'scope'],
    finds: 'subject',
  },
  what: {
    title: 'What',
    sentence: 'Every page and permission that somebody is allowed at a place.',
    asked: ['subject', 'scope'],
    finds: 'permission',
  },
  where: {
    title: 'Where',
    sentence: 'Every place where somebody may do it: those where a role is granted, and all below them.',
    asked: ['subject', 'permission'],
    finds: 'scope',
  },
};

export const searchOf = (name: string | undefined): Search =>
  name !== undefined && Object.hasOwn(SEARCHES, name) ? (name as Search) : 'who';

/** A search that can be asked. */
export interface Question {
  readonly key: string;
  readonly load: (send: Send) => LoadPage<Row>;
}

/** Rows of one page. */
const LIMIT = 100;

/** What the address asks; undefined where a part of it is missing or cannot be read. */
export function questionOf(state: Readonly<Record<string, string>>): Question | undefined {
  const { subject = '', permission = '', scope = '', type } = state;
  const [time, read] = [askedInstant(state.at), readGiven(state.given)];
  if (time.problem !== undefined || 'problem' in read) return undefined;
  const common = { limit: LIMIT, ...time, ...read };
  const typed = type === undefined ? {} : { type };
  switch (searchOf(state.search)) {
    case 'who': {
      if (permission === '' || scope === '') return undefined;
      const input = { permission, scope, ...typed, ...common };
      return { key: keyOf('subjects', input), load: (send) => searchPages(send, 'subjects', input) };
    }
    case 'where': {
      if (subject === '' || permission === '') return undefined;
      const input = { subject, permission, ...typed, ...common };
      return { key: keyOf('scopes', input), load: (send) => searchPages(send, 'scopes', input) };
    }
    case 'what': {
      if (subject === '' || scope === '') return undefined;
      const input: Inputs['permissions'] = { subject, scope, ...common };
      if (type === 'page' || type === 'permission') input.kind = type;
      return {
        key: keyOf('permissions', input),
        load: (send) => async (cursor) => {
          const reply = await searchPages(send, 'permissions', input)(cursor);
          if (!reply.ok) return reply;
          const items = reply.result.items.map(({ permission: name, ...rest }) => ({
            ref: name,
            name,
            ...rest,
          }));
          return { ok: true, result: { ...reply.result, items } };
        },
      };
    }
  }
}

const keyOf = (method: string, input: object): string => JSON.stringify([method, input]);
