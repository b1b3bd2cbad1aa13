import type * as z from 'zod';

/**
 * What is to be known of a kind of node, as data: the registry (registry.ts) is a list of these, and
 * commands, guards, indexes and documents are made from it.
 */
export interface Guard {
  /** Kind as it stands in the key: `EMAIL#value / META`. */
  readonly kind: string;
  /** Attribute of the entity whose value must be unique. */
  readonly field: string;
  /** Canonical form under which two values are the same. */
  readonly normalise: (value: string, field: string) => string;
  /** Attributes that narrow uniqueness (a role's name is unique within its scope). */
  readonly within?: readonly string[];
  /** What the look-up shows beside the owner: attribute of the guard → attribute of the entity. */
  readonly repeats?: Readonly<Record<string, string>>;
}

/** How people name a node: the attributes that are found, and what is above it in a path of names. */
export interface Named {
  /** As `name.find` calls what is found. */
  readonly kind: string;
  /** Attributes that are found; the first is the name that is shown. */
  readonly by: readonly [string, ...string[]];
  /** The attribute that holds the scopes above it, from the nearest on, or the one that it is in. */
  readonly above?: string;
}

export interface Entity {
  /** As in references and command names: `user`, `location`. */
  readonly type: string;
  /** The item's `Type` attribute, where it is not the type with each word capitalised (`TechnicalUser`). */
  readonly label?: string;
  /** What the entity is, in one sentence for the documents. */
  readonly summary: string;
  /** Attributes that a command may give. No zod defaults: an update must not invent values. */
  readonly attributes: z.ZodObject;
  /** Values for attributes that creation leaves out. */
  readonly defaults?: Readonly<Record<string, string | boolean | readonly string[]>>;
  /** Attributes that creation fills in when they are left out: they can be replaced and not cleared. */
  readonly filledIn?: readonly string[];
  /** Attributes that stay once they are given. */
  readonly lasting?: readonly string[];
  /** Attributes fixed at creation. */
  readonly immutable?: readonly string[];
  /**
   * Attributes that are kept apart from the node (ADR 0016) and never shown: not in an answer, not in the
   * log.
   */
  readonly secret?: readonly string[];
  /** Attributes that are kept with the node and never shown. */
  readonly hidden?: readonly string[];
  /**
   * Attributes that say something of a person. In the audit log pseudonyms stand for their values (ADR 0031).
   */
  readonly personal?: readonly string[];
  /**
   * Of subjects, which act in every tenant, and of what speaks for them: the attributes that count in their own tenant
   * only. No decision, look-up or log-in elsewhere reads them, so whoever may create one in a tenant may give them, and
   * no others (ADR 0032).
   */
  readonly givenInTenant?: readonly string[];
  readonly guards: readonly Guard[];
  /** Attributes that name what the node hangs on, by reference or id: it is repeated in their partitions. */
  readonly hangsOn?: readonly string[];
  /** The attributes that, joined by `:`, are the id, for entities named by a natural key; a ULID when left out. */
  readonly naturalKey?: readonly [string, ...string[]];
  /** The attribute that holds its type, where that is data: scopes and subjects of types that were added. */
  readonly typeFrom?: string;
  /** Where its type is data: the field by which commands name it, by its reference (ADR 0039). */
  readonly namedIn?: 'scope' | 'user';
  /** Over how many index partitions the list of all, and each list by status, is spread. */
  readonly listShards: number;
  /** Listed in its tenant by type and time: the attributes that hold the tenant's reference and the time. */
  readonly inTenant?: { readonly tenant: string; readonly time: string };
  /** A scope: listed by its path, so that all scopes below one are one range of an index. */
  readonly inTree?: true;
  /** Listed by status and date: the attributes that hold them. Without a date it sorts last. */
  readonly byStatus?: { readonly status: string; readonly date: string };
  /** Listed by name, in the tenant's index: of kinds that belong to no tenant. */
  readonly byName?: string;
  /** Found by names that need not be unique. */
  readonly named?: Named;
  /** Items go by themselves some time after the instant in this attribute, by DynamoDB's time-to-live. */
  readonly expires?: { readonly from: string; readonly afterDays: number };
}

/**
 * A kind that is no more than this: commands, results, documents and its section of a manifest are made of it. It hangs
 * on a scope that its creation names (by the field that is called as the scope's type) or on nothing, and decides nothing.
 */
export interface PlainEntity extends Entity {
  /** Keys tell them by the endings of their kinds. */
  readonly guards: readonly (Guard & { readonly kind: `${string}_NAME` | `${string}_CODE` })[];
  /**
   * Its section of a manifest, where it hangs on a scope and has a unique value: entries by that value, each with the name
   * of the scope and the other attributes.
   */
  readonly section?: string;
  /** Inputs for the documents, without the id and the scope. */
  readonly example: {
    readonly create: Readonly<Record<string, unknown>>;
    readonly update: Readonly<Record<string, unknown>>;
  };
}

/** What lifetimes are counted in. */
export const DAY_MS = 86_400_000;

/** The indexes. Administration's lists use them, decisions never. */
export const INDEXES = {
  /** All of a type. */
  all: 'GSI1',
  /** What belongs to a tenant, by type and time. */
  tenant: 'GSI2',
  /** What has a status, by date; and scopes, by their path. */
  status: 'GSI3',
} as const;

export type IndexName = (typeof INDEXES)[keyof typeof INDEXES];
