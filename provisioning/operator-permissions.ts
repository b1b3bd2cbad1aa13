/** The module of the permissions that run commands: `provisioning:create:user` runs `user.create` (ADR 0032). */
export const MODULE = 'provisioning';

/** Whether a permission is one of operators: of the module `provisioning`, also by a pattern such as `*:*:*`. */
export const isOfOperators = (permission: unknown): boolean =>
  typeof permission === 'string' && (permission === '*:*:*' || permission.startsWith(`${MODULE}:`));
