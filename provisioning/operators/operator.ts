import type { Actor } from '../../engine/index.ts';
import { defined } from '../../table/defined.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import { MODULE } from '../operator-permissions.ts';

/**
 * Operators: the subjects who may run commands (ADR 0032). Their rights are permissions like any other, which the
 * engine decides.
 */
export interface Operator {
  /** Reference such as `user:01J…`. */
  readonly subject: string;
  /** The ARN of the IAM principal that acts as this subject. */
  readonly principal?: string;
  /** Who acts for the subject: then each command must be allowed to subject, actor and mandate (ADR 0048). */
  readonly actor?: Actor | undefined;
  /** The record of the token that was shown; its state is part of each decision. */
  readonly credential?: { readonly ref: string; readonly hash?: string | undefined } | undefined;
}

/** A permission in a tenant, or, without one, for what belongs to no tenant. */
export interface Right {
  readonly permission: string;
  readonly tenant: Ref | undefined;
}

/** What a caller shows: a token in the event, or the principal that a function URL has verified. */
export interface Shown {
  readonly token?: string | undefined;
  readonly principal?: string | undefined;
}

/** Who operators are and what they may: a port, behind which the engine decides. */
export interface Operators {
  /**
   * The operator. Throws `not_permitted` on `token` for a bad one, `transient` when it cannot be verified.
   */
  readonly identify: (shown: Shown) => Promise<Operator>;
  /** Whether the operator is active now: nobody else does anything, with a right or without. */
  readonly isActive: (operator: Operator) => Promise<boolean>;
  /**
   * Whether each of these subjects has something of its own at each of these scopes now, which exist and are active:
   * roles in force, and not only by the group of everyone.
   */
  readonly areGranted: (subjects: readonly string[], scopes: readonly string[]) => Promise<boolean>;
  /** Whether the operator has each right, as the table is now. */
  readonly may: (operator: Operator, rights: readonly Right[]) => Promise<readonly boolean[]>;
}

/** The permission that runs a command: that of `user.create` is `provisioning:create:user`. */
export function permissionOf(command: string): string {
  const [entity, verb] = command.split('.');
  return `${MODULE}:${verb}:${entity}`;
}

/**
 * A refusal. It says the same of what does not exist and of what is another tenant's, so that it discloses neither.
 *
 * @param field the input field that names it
 */
export const notPermitted = (field?: string): GatehouseError =>
  new GatehouseError(
    'not_permitted',
    field === undefined
      ? 'this operator may not do this'
      : `${field}: it does not exist, or this operator may not do this there`,
    defined({ field }),
  );
