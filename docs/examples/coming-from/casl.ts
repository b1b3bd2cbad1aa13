import { AbilityBuilder, createMongoAbility } from '@casl/ability';

export interface User {
  readonly id: string;
  readonly roles: readonly ('reader' | 'writer' | 'editor')[];
}

/** What a user may do with articles. */
export function abilityOf(user: User) {
  const { can, cannot, build } = new AbilityBuilder(createMongoAbility);
  can('read', 'Article');
  if (user.roles.includes('writer')) can('update', 'Article', { author: user.id });
  if (user.roles.includes('editor')) {
    can('update', 'Article');
    can('publish', 'Article');
  }
  cannot('update', 'Article', { locked: true });
  return build();
}
