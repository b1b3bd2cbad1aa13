/** Letters to add, drop, change or swap with the next to get from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  let before = row;
  for (let line = 0; line < a.length; line++) {
    const next = [line + 1];
    for (let column = 0; column < b.length; column++) {
      const changed = (row[column] ?? 0) + (a[line] === b[column] ? 0 : 1);
      const isSwap = column > 0 && line > 0 && a[line] === b[column - 1] && a[line - 1] === b[column];
      const swapped = isSwap ? (before[column - 1] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

const MAX_LENGTH = 64;
const MAX_LISTED = 12;

/** The known word that was probably meant. */
export function closest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const each of known) {
    const far = distance(wanted, each.slice(0, MAX_LENGTH).toLowerCase());
    if (far < least) [best, least] = [each, far];
  }
  return best;
}

/** What to say after an unknown word: what was probably meant, or else what there is. */
export function hint(word: string, known: Iterable<string>): string {
  const words = [...known];
  const meant = closest(word, words);
  if (meant !== undefined) return `did you mean ${meant}?`;
  if (words.length === 0) return 'there is none';
  const listed = words.slice(0, MAX_LISTED).join(', ');
  return `there ${words.length === 1 ? 'is' : 'are'} ${listed}${words.length > MAX_LISTED ? ', …' : ''}`;
}

/** The choice that a text is, in whatever case it is written. */
export function choiceOf(text: string, choices: readonly string[]): string | undefined {
  if (choices.includes(text)) return text;
  const alike = choices.filter((each) => String(each).toLowerCase() === text.trim().toLowerCase());
  return alike.length === 1 ? String(alike[0]) : undefined;
}
