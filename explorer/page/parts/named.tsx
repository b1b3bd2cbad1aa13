import type { NamedRef } from '../../service/index.ts';

/** A name, which may be of any script and direction, with its reference in its title. */
export function Named({ of: { ref, name } }: { readonly of: NamedRef }) {
  return (
    <bdi class="name" title={ref}>
      {name}
    </bdi>
  );
}
