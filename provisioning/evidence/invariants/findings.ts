import type { TokenGroups } from '../../../engine/index.ts';
import type { Reader } from '../../../table/reader.ts';
import type { Breach } from './breaches.ts';
import type { Invariant } from './invariant.ts';

/** Who breaks an invariant, and how. */
export interface Finding {
  readonly invariant: Invariant;
  readonly breach: Breach;
  /** One of those whom it is true of. */
  readonly one: string;
  readonly people: readonly string[];
  /** The subject to whom nothing is granted. */
  readonly anybody: string;
  /** The token by which it is so. */
  readonly token: TokenGroups | undefined;
  /** The table upon which it was decided. */
  readonly opened: Reader;
}

/** Collects who breaks what; all who do by the same grants from the same instant on are one finding. */
export function createFindings() {
  const found = new Map<string, Finding & { readonly people: string[] }>();
  const known = new Set<string>();
  return {
    add: (finding: Finding): void => {
      const { invariant, breach, token } = finding;
      const people = finding.people.filter((one) => !known.has(`${invariant.id} ${one}`));
      if (people.length === 0) return;
      for (const one of people) known.add(`${invariant.id} ${one}`);
      const how = breach.granted.map(({ permission, text }) => [permission, text]);
      const name = JSON.stringify([invariant.id, how, breach.from, token]);
      const same = found.get(name);
      if (same) same.people.push(...people);
      else found.set(name, { ...finding, people });
    },
    /** Whether a subject is known to break an invariant. */
    has: (invariant: string, one: string): boolean => known.has(`${invariant} ${one}`),
    get all(): readonly Finding[] {
      return [...found.values()];
    },
  };
}

export type Findings = ReturnType<typeof createFindings>;
