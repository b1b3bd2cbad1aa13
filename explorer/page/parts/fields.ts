/** What the fields of a question are called, in every panel. */
export const FIELDS = { subject: 'Subject', permission: 'Permission', scope: 'Scope' } as const;

/** A part of a question. */
export type Asked = keyof typeof FIELDS;
