import type { Key } from '../../table/keys.ts';
import { byText } from '../canonical.ts';

/** Stable codes of findings. docs/cli.md explains each, and what repair does. */
export const CODES = [
  'decision_more',
  'decision_less',
  'decision_differs',
  'decision_damaged',
  'decision_missing',
  'decision_without_node',
  'edge_damaged',
  'edge_missing',
  'edge_left_over',
  'edge_differs',
  'edge_dangling',
  'node_damaged',
  'node_of_other_place',
  'node_repeats',
  'index',
  'guard_missing',
  'guard_differs',
  'guard_without_owner',
  'name_missing',
  'name_differs',
  'name_left_over',
  'copy_missing',
  'copy_differs',
  'copy_left_over',
  'secret_misplaced',
  'secret_damaged',
  'secret_left_over',
  'rule_missing',
  'rule_differs',
  'rule_left_over',
  'route_scope_missing',
  'resource_type_scope_missing',
  'condition_invalid',
  'property_misfit',
  'allow_only_broken',
  'unfinished',
  'log_missing',
  'log_surplus',
  'unknown_item',
  'newer_form',
] as const;
export type FindingCode = (typeof CODES)[number];

/**
 * The effect on decisions: `opens` allows what nodes and edges do not, `closes` denies what they allow,
 * `either` may do both (a role may refuse), `none` concerns lists and look-ups only.
 */
export type Effect = 'opens' | 'either' | 'closes' | 'none';

export interface Finding {
  readonly code: FindingCode;
  /** The item that is wrong, or missing. */
  readonly key: Key;
  /** The attribute of it that is wrong, and its member where it is a set: `groups 01J…`. */
  readonly attribute?: string;
  readonly expected: string;
  readonly effect: Effect;
  /** Whether it may allow too much: `opens` or `either`. */
  readonly dangerous: boolean;
  /** Whether `--repair` can derive the right value from other items. */
  readonly repairable: boolean;
}

const ORDER: readonly Effect[] = ['opens', 'either', 'closes', 'none'];

/** Findings that allow too much come first. */
export const byDanger = (a: Finding, b: Finding): number =>
  ORDER.indexOf(a.effect) - ORDER.indexOf(b.effect) ||
  byText(a.key.PK, b.key.PK) ||
  byText(a.key.SK, b.key.SK) ||
  byText(a.attribute ?? '', b.attribute ?? '');

/** One finding, whatever led to it. */
export const findingId = ({ code, key, attribute = '' }: Finding): string =>
  [code, key.PK, key.SK, attribute].join('\n');
