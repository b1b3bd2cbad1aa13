import type { FormField } from '../../../service/index.ts';

/** Which log is read, by the fields of `audit.list`. */

export const LOGS = {
  tenant: 'a tenant',
  user: 'what a user did',
  none: 'what belongs to no tenant',
} as const;
export type LogName = keyof typeof LOGS;
export const isLog = (name: string | undefined): name is LogName =>
  name !== undefined && Object.hasOwn(LOGS, name);

const PERIOD = ['from', 'until'];

/** What is asked for a log: of whom it is, and a period. */
export const fieldsOfLog = (log: LogName, fields: readonly FormField[]): readonly FormField[] =>
  fields.flatMap((field) => {
    if (field.name === log) return { ...field, isRequired: true };
    return PERIOD.includes(field.name) ? field : [];
  });
