/** A statement about all answers in one tenant: no two of `separate` at a time, or `never` but for a group. */
export type Invariant = {
  readonly id: string;
  readonly name: string;
  readonly separate?: readonly string[] | undefined;
  readonly within?: 'tenant' | 'scope' | undefined;
  readonly never?: string | undefined;
  readonly except?: { readonly group: string } | undefined;
};

/** The permissions that an invariant is about. */
export const permissionsOf = ({ separate, never }: Invariant): readonly string[] =>
  separate ?? (never === undefined ? [] : [never]);
