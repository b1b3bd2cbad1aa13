import type { TokenGroups } from '../../engine/index.ts';
import type { Invariant } from '../../table/invariant.ts';
import type { Reader } from '../../table/reader.ts';
import { type Breach, isCertain } from './breaches.ts';

/** Who breaks an invariant, and how. */
export interface Finding {
  readonly invariant: Invariant;
  readonly breach: Breach;
  /** Never empty. */
  readonly people: readonly string[];
  /** The subject to whom nothing is granted. */
  readonly anybody: string;
  /** The token by which it is so. */
  readonly token: TokenGroups | undefined;
  /** The table upon which it was decided. */
  readonly opened: Reader;
}

/** Whether one is worse: whatever conditions say, or from an earlier instant on. */
const isWorse = (one: Breach, other: Breach): boolean =>
  isCertain(one) === isCertain(other) ? one.from < other.from : isCertain(one);

/** Collects the worst that each person breaks; all who do by the same grants from the same instant on are one finding. */
export function createFindings() {
  const found = new Map<string, Finding & { readonly people: string[] }>();
  /** By invariant and person. */
  const known = new Map<string, Finding & { readonly people: string[] }>();
  return {
    add: (finding: Finding): void => {
      const { invariant, breach, token } = finding;
      const how = breach.granted.map(({ permission, text }) => [permission, text]);
      const name = JSON.stringify([invariant.id, how, breach.from, token]);
      const same = found.get(name) ?? { ...finding, people: [] };
      for (const one of finding.people) {
        const other = known.get(`${invariant.id} ${one}`);
        if (other && !isWorse(breach, other.breach)) continue;
        other?.people.splice(other.people.indexOf(one), 1);
        same.people.push(one);
        known.set(`${invariant.id} ${one}`, same);
        found.set(name, same);
      }
    },
    /** Whether a subject is known to break an invariant. */
    has: (invariant: string, one: string): boolean => known.has(`${invariant} ${one}`),
    get all(): readonly Finding[] {
      return [...found.values()].filter(({ people }) => people.length > 0);
    },
  };
}

export type Findings = ReturnType<typeof createFindings>;
