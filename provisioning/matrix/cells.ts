import type { Combination, Effect } from '../../table/decision/items.ts';
import { patternsCovering } from '../../table/permission-name.ts';

/** What a role says itself: one effect on a page, a permission or a pattern. */
export interface Stated {
  readonly effect: Effect;
  /** The condition under which it counts (CEL); it always counts where this is left out. */
  readonly when?: string;
}

/** A role with what it says itself, by the name of the page, permission or pattern. */
export interface StatedRole {
  readonly name: string;
  readonly says: ReadonlyMap<string, Stated>;
}

/** One reason why a role allows or denies something. */
export interface Mark extends Stated {
  /** The name of the role that it is inherited from; left out for what the role says itself. */
  readonly from?: string;
  /** The pattern that covers the permission; left out where the role names it. */
  readonly pattern?: string;
}

/** What a role says of one row. */
export interface Cell {
  /** The id of the role. */
  readonly role: string;
  /** The page, permission or pattern. */
  readonly permission: string;
  /** What the role says itself first, then what it inherits; names before patterns. Never empty. */
  readonly marks: readonly Mark[];
  /** Where the marks have both effects: the one that wins, always or where its condition holds. */
  readonly wins?: { readonly effect: Effect; readonly onCondition: boolean };
  /** All of it in words. */
  readonly text: string;
}

/**
 * What a role says of a page, a permission or a pattern, for somebody who has no other role.
 *
 * @param chain the role, then those that it inherits from, the nearest first
 * @returns undefined where it says nothing
 */
export function cellOf(
  role: string,
  chain: readonly StatedRole[],
  permission: string,
  combination: Combination,
): Cell | undefined {
  const patterns = permission.includes('*') ? [] : patternsCovering(permission);
  const marks = chain.flatMap(({ name, says }, depth) =>
    [permission, ...patterns].flatMap((said): readonly Mark[] => {
      const stated = says.get(said);
      if (!stated) return [];
      return [
        {
          ...stated,
          ...(depth === 0 ? {} : { from: name }),
          ...(said === permission ? {} : { pattern: said }),
        },
      ];
    }),
  );
  if (marks.length === 0) return undefined;
  const wins = winnerOf(marks, combination);
  return { role, permission, marks, ...(wins ? { wins } : {}), text: textOf(marks, wins, combination) };
}

/** Of both effects one overrides the other: always if it has no condition, otherwise where one of its conditions holds. */
function winnerOf(marks: readonly Mark[], combination: Combination): Cell['wins'] {
  if (marks.every(({ effect }) => effect === marks[0]?.effect)) return undefined;
  const effect = combination === 'deny-overrides' ? 'DENY' : 'ALLOW';
  const onCondition = marks.every((mark) => mark.effect !== effect || mark.when !== undefined);
  return { effect, onCondition };
}

function textOf(marks: readonly Mark[], wins: Cell['wins'], combination: Combination): string {
  const parts = marks.map(({ effect, from, pattern, when }) =>
    [
      effect,
      ...(from === undefined ? [] : [`inherited from ${from}`]),
      ...(pattern === undefined ? [] : [`by ${pattern}`]),
      ...(when === undefined ? [] : [`if ${when}`]),
    ].join(', '),
  );
  if (wins) {
    const where = wins.onCondition ? ' where its condition holds' : '';
    parts.push(`${wins.effect} wins${where} (${combination})`);
  }
  return parts.join('; ');
}

export const EFFECT_SIGNS = { ALLOW: '✓', DENY: '✕' } as const;

/** A reason in signs: what, inherited, by a pattern, on a condition. */
export const signsOf = ({ effect, from, pattern, when }: Mark): string =>
  [
    EFFECT_SIGNS[effect],
    from === undefined ? '' : '↑',
    pattern === undefined ? '' : '≈',
    when === undefined ? '' : '?',
  ].join('');

/** The cells by permission, then by role. */
export function cellsByPlace(cells: readonly Cell[]): (permission: string, role: string) => Cell | undefined {
  const rows = new Map<string, Map<string, Cell>>();
  for (const cell of cells) {
    const row = rows.get(cell.permission) ?? new Map<string, Cell>();
    rows.set(cell.permission, row.set(cell.role, cell));
  }
  return (permission, role) => rows.get(permission)?.get(role);
}
