import { ulid } from 'ulid';
import { type Migrated, migrate } from '../../provisioning/migrate/migrate.ts';
import type { World } from './world.ts';

const NEVER = Number.POSITIVE_INFINITY;
const WHOLE = { groupsOfSubject: NEVER, groupsOfScope: NEVER, rolesOfRoot: NEVER };

/** The forms that decision items have (ADR 0003): beyond how many entries a part stands apart, or is folded. */
export const FORMS = {
  whole: WHOLE,
  'the groups of scopes apart': { ...WHOLE, groupsOfScope: 0 },
  'the groups of subjects apart': { ...WHOLE, groupsOfSubject: 0 },
  'the roles of roots folded': { ...WHOLE, rolesOfRoot: 0 },
  'all of it': { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 },
};
export type Form = keyof typeof FORMS;

/** Brings all items of a world into a form, from the whole one. */
export const bringInto = (
  { reader, writer, clock }: Pick<World, 'reader' | 'writer' | 'clock'>,
  form: Form,
): Promise<Migrated> => migrate({ reader, writer, clock, newId: ulid, thresholds: FORMS[form] });
