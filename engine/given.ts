import type { Properties } from '../table/properties.ts';

/**
 * What a caller passes beside a question, for conditions. Only declared properties count, and
 * of those only the ones with the source `passed`; a value that does not fit its type counts as missing.
 */
export interface Given {
  readonly subject?: { readonly properties?: Properties | undefined } | undefined;
  /** The object asked about, where it is not the scope itself. Default type and id: those of the scope. */
  readonly resource?:
    | {
        readonly type?: string | undefined;
        readonly id?: string | undefined;
        readonly properties?: Properties | undefined;
      }
    | undefined;
  /** Default name: the action of `module:action:resource`, or the page. */
  readonly action?:
    | { readonly name?: string | undefined; readonly properties?: Properties | undefined }
    | undefined;
  readonly context?: Properties | undefined;
}

/** Of options: what they say of subject, resource, action and context; undefined if nothing. */
export const givenIn = ({ subject, resource, action, context }: Given): Given | undefined =>
  subject || resource || action || context ? { subject, resource, action, context } : undefined;

/**
 * What is given to a decision for an instant: `context.time` is this instant, unless the caller says another.
 *
 * @param at epoch milliseconds; undefined where the decision is for now, of which the enforcement point says the time
 */
export const givenAt = (given: Given | undefined, at: number | undefined): Given | undefined =>
  at === undefined || (given?.context && Object.hasOwn(given.context, 'time'))
    ? given
    : { ...given, context: { ...given?.context, time: new Date(at) } };
