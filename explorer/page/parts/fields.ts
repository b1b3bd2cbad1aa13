/** What the fields of a question are called, in every panel. */
export const FIELDS = { subject: 'Subject', permission: 'Permission', scope: 'Scope' } as const;

/** What an address asks, and what it holds of the playground: its texts, and how it is laid out. */
export const QUESTION: readonly string[] = [...Object.keys(FIELDS), 'actor', 'mandate', 'at', 'given'];
export const OF_PLAYGROUND: readonly string[] = ['example', 'model', 'hide', 'column'];

/** A part of a question. */
export type Asked = keyof typeof FIELDS;
