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
