import type { NamedRef } from '../../service/index.ts';
import { useNames } from '../names.tsx';

export interface NamedProps {
  /** A reference without its name is looked up. */
  readonly of: string | NamedRef;
}

/** A name, which may be of any script and direction, with its reference in its title. */
export function Named({ of }: NamedProps) {
  const nameOf = useNames();
  const { ref, name } = typeof of === 'string' ? { ref: of, name: nameOf(of) ?? of } : of;
  return (
    <bdi class="name" title={ref}>
      {name}
    </bdi>
  );
}
