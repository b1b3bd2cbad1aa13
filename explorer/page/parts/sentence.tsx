import type { NamedRef } from '../../service/index.ts';
import { Named } from './named.tsx';

/** Characters that change the direction of what follows them. They have no look of their own. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The beginning of a day, of which the date says enough. */
const MIDNIGHT = /(?<=\d{4}-\d\d-\d\d)T00:00:00\.000Z/g;

/** A text, or what a reference names: one without its name is looked up. */
type Part = string | NamedRef | { readonly ref: string };

/**
 * A sentence of the engine or of provisioning, with names in it: without what a name could turn around the rest by. Each
 * text begins at the left, whatever script its first name is of.
 */
export const Sentence = ({ of }: { readonly of: string | readonly Part[] }) => (
  <>
    {[of].flat().map((part, position) =>
      typeof part === 'string' ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
        <bdi key={position} dir="ltr">
          {part.replace(DIRECTION, '').replace(MIDNIGHT, '')}
        </bdi>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
        <Named key={position} of={'name' in part ? part : part.ref} />
      ),
    )}
  </>
);
