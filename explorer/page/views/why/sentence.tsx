/** Characters that change the direction of what follows them. They have no look of their own. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The beginning of a day, of which the date says enough. */
const MIDNIGHT = /(?<=\d{4}-\d\d-\d\d)T00:00:00\.000Z/g;

/**
 * A sentence of the engine, with names in it: without what a name could turn around the rest by. It begins at the left,
 * whatever script its first name is of.
 */
export const Sentence = ({ text }: { readonly text: string }) => (
  <bdi dir="ltr">{text.replace(DIRECTION, '').replace(MIDNIGHT, '')}</bdi>
);
