import { GatehouseError } from '../../table/errors.ts';
import { type Declaration, type Declarations, MAX_CONDITION_LENGTH } from '../../table/properties.ts';
import {
  misfits,
  problemOfCondition,
  problemOfLoaded,
  refuseDeclaration,
  sourceOf,
  storedProperties,
} from '../nodes/properties.ts';
import { type Entry, keyOf, type Row } from './entry.ts';
import { type Phase, SCOPE_KINDS } from './phase.ts';
import type { Problem } from './problem.ts';
import type { State } from './state.ts';

/** Conditions of effects in manifests: what is wrong with them, and in which steps one takes the place of another. */

function declarationsOf(entries: readonly Entry[]): Declarations {
  const all = new Map<string, Map<string, Declaration>>();
  for (const { identity, values, fixed } of entries) {
    const { type, source } = { ...values, ...fixed };
    const of = all.get(String(identity.of)) ?? new Map<string, Declaration>();
    all.set(String(identity.of), of.set(String(identity.name), { type, source } as Declaration));
  }
  return all;
}

/** The declarations when all is done, and those of the table and of the manifest together. */
export function declarationsIn(
  { desired, current }: State,
  arePruned: boolean,
): { readonly lasting: Declarations; readonly all: Declarations } {
  const ofKind = (entries: readonly Entry[]) => entries.filter(({ kind }) => kind === 'property');
  const [wanted, there] = [ofKind(desired), ofKind(current)];
  const all = declarationsOf([...there, ...wanted]);
  return { lasting: arePruned ? declarationsOf(wanted) : all, all };
}

/** What is wrong with new declarations, with conditions, and with the values of stored properties. */
export async function propertyProblems(
  { desired, current }: State,
  lasting: Declarations,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const there = new Set(current.map(keyOf));
  const attempt = (path: Problem['path'], act: () => unknown): void => {
    try {
      act();
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      const field = error.field ?? '';
      problems.push({ path: [...path, field], message: error.message.replace(`${field}: `, '') });
    }
  };
  for (const entry of desired) {
    const { kind, identity, values, fixed, path } = entry;
    if (kind === 'property' && !there.has(keyOf(entry))) {
      const [of, name] = [String(identity.of), String(identity.name)];
      attempt(path, () => sourceOf(of, fixed?.source));
      attempt(path, () => refuseDeclaration(of, name, fixed?.type as Declaration['type'], lasting));
    }
    if (kind === 'role-permission' && typeof values.when === 'string') {
      const message = await problemOfCondition(values.when, lasting);
      if (message !== undefined) problems.push({ path: [...path, 'when'], message });
    }
    for (const [name, type] of misfits(ownerOf(entry), storedProperties(values.properties), lasting))
      problems.push({
        path: [...path, 'properties', name],
        message: `is declared as ${type} of ${ownerOf(entry)}`,
      });
  }
  return problems;
}

/** What the stored properties of an entry are of. */
const ownerOf = ({ kind, identity }: Entry): string =>
  SCOPE_KINDS.has(kind) ? `resource:${identity.type ?? kind}` : `subject:${identity.type ?? kind}`;

/**
 * The steps from one condition of an effect to another. First only what both allow is allowed, or what either denies
 * is denied; then, when the values of properties have changed too, only the new one counts.
 *
 * @param declarations of the table and of the manifest: in between, those of both are there
 */
export function stepsOfCondition(
  effect: unknown,
  { when: before }: Row,
  { when: after }: Row,
  declarations: Declarations,
): readonly (readonly [when: unknown, phase: Phase])[] {
  const denies = effect === 'DENY';
  const [narrower, wider]: readonly [Phase, Phase] = denies ? ['undeny', 'deny'] : ['close', 'open'];
  // Without a condition an effect is at its widest.
  if (typeof before !== 'string') return [[after, narrower]];
  if (typeof after !== 'string') return [[null, wider]];
  const both = denies ? `(${before}) || (${after})` : `(${before}) && (${after})`;
  const isAccepted = both.length <= MAX_CONDITION_LENGTH && problemOfLoaded(both, declarations) === undefined;
  const between = isAccepted ? both : denies ? null : 'false';
  const [first, last] = denies ? [wider, narrower] : [narrower, wider];
  return [
    [between, first],
    [after, last],
  ];
}
