import type { NamedRef } from '../../service/index.ts';
import { useNames } from '../names.tsx';

/** A name, which may be of any script and direction, with its reference in its title; one that is not given is looked up. */
export function Named({ of }: { readonly of: string | NamedRef }) {
  const nameOf = useNames();
  const { ref, name } = typeof of === 'string' ? { ref: of, name: nameOf(of) ?? of } : of;
  return (
    <bdi class="name" title={ref}>
      {name}
    </bdi>
  );
}
