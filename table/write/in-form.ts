import { GatehouseError } from '../errors.ts';
import { FORM, FORMS, formOf, newer, saysForm } from '../form.ts';
import type { Item } from '../item.ts';
import type { Action, Update } from './action.ts';

/**
 * The action as it is sent: what it writes says its form, and an item of a newer one stays as it is. It is a condition
 * of the action itself, so it costs no other action, and an update that reads nothing has it too.
 *
 * An action that writes another form than the usual one states it as an attribute; an update that states none leaves an
 * item the form that it has.
 *
 * Its failure is `newer_form`.
 */
export function inForm(action: Action): Action {
  // Whatever is there already fails a creation.
  const isCreation = action.when?.exists === false;
  const [newest, verb] = action.kind === 'check' ? [FORMS.reads, 'reads'] : [FORMS.writes, 'writes'];
  const { failure } = action;
  const guarded = isCreation
    ? action
    : {
        ...action,
        when: { ...action.when, form: newest },
        failure: (found: Item | undefined) =>
          found && formOf(found) > newest
            ? newer(found, newest, verb)
            : (failure?.(found) ?? new GatehouseError('internal', 'a write failed that asks for nothing')),
      };
  if (guarded.kind === 'put')
    return saysForm(guarded.item) ? guarded : { ...guarded, item: { ...guarded.item, [FORM]: FORMS.usual } };
  const statesForm = guarded.kind !== 'update' || guarded.set?.[FORM] !== undefined;
  if (statesForm || isEmpty(guarded)) return guarded;
  return { ...guarded, initial: { [FORM]: FORMS.usual } };
}

/** An update that changes nothing is a check, and stays one. */
const isEmpty = ({ set, remove, add, takeOut }: Update): boolean =>
  [set, add, takeOut].every((part) => Object.keys(part ?? {}).length === 0) && (remove ?? []).length === 0;
