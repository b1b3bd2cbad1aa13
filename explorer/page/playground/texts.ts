import { useEffect, useRef, useState } from 'preact/hooks';
import { EXAMPLES } from '../../playground/examples.ts';
import type { Texts } from '../../playground/model.ts';
import type { Address, Go } from '../address.ts';
import { BrokenLink, packTexts, unpackTexts } from './link.ts';

/** How long nothing may be typed before the address takes the texts: browsers limit how often it changes. */
const PAUSE_MS = 400;

const NONE: Texts = { manifest: '', tests: '' };

/** The texts that are shown, which the address names. */
export type OpenTexts = ReturnType<typeof useTexts>;

interface Shown {
  /** Undefined until they are read. */
  readonly texts: Texts | undefined;
  /** Rises whenever they come from elsewhere than an editor. */
  readonly loads: number;
  /** Whether the address is of these texts, and not of those before. */
  readonly isWritten: boolean;
  /** What is wrong with the address, or why it does not hold the texts. */
  readonly problem: string | undefined;
}

const keyOf = ({ model, example }: Address['state']): string =>
  model === undefined ? `example=${example ?? ''}` : `model=${model}`;

/**
 * The texts of the address: `example=NAME` while they are unedited, `model=…` once they are edited. An edit replaces the
 * present entry of the history.
 */
export function useTexts(state: Address['state'], go: Go) {
  const [shown, setShown] = useState<Shown>({
    texts: undefined,
    loads: 0,
    isWritten: true,
    problem: undefined,
  });
  /** What the texts are of. An address of the same is not read again, though the texts may be newer than it. */
  const source = useRef<string | undefined>(undefined);
  const present = useRef<Texts>(NONE);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const load = (texts: Texts, problem?: string): void => {
    present.current = texts;
    setShown(({ loads }) => ({ texts, loads: loads + 1, isWritten: true, problem }));
  };

  const key = keyOf(state);
  useEffect(() => {
    if (key === source.current) return;
    clearTimeout(timer.current);
    source.current = key;
    const { model, example } = state;
    if (model !== undefined) {
      unpackTexts(model).then(
        (texts) => source.current === key && load(texts),
        (error: unknown) => {
          const message = error instanceof BrokenLink ? error.message : String(error);
          if (source.current === key) load(NONE, message);
        },
      );
      return;
    }
    const found = EXAMPLES.find(({ name }) => name === example) ?? (example === undefined && EXAMPLES[0]);
    if (!found) return load(NONE, `there is no example ${example}: choose another one`);
    load({ manifest: found.manifest, tests: found.tests });
    if (example !== undefined) return;
    source.current = `example=${found.name}`;
    go({ example: found.name }, { replace: true });
  }, [key]);

  const write = async (replace: boolean): Promise<void> => {
    const texts = present.current;
    const same = EXAMPLES.find(({ manifest, tests }) => manifest === texts.manifest && tests === texts.tests);
    const model = same ? undefined : await packTexts(texts);
    if (texts !== present.current) return;
    const isTooLong = !same && model === undefined;
    const next = { model, example: same?.name };
    source.current = keyOf(JSON.parse(JSON.stringify(next)));
    setShown((before) => ({
      ...before,
      isWritten: true,
      problem: isTooLong
        ? 'the texts are too long for the address: download them to keep them, and send them as files'
        : undefined,
    }));
    go(next, { replace });
  };

  /** @returns whether the texts are others than before */
  const take = (patch: Partial<Texts>): boolean => {
    const texts = { ...present.current, ...patch };
    if (texts.manifest === present.current.manifest && texts.tests === present.current.tests) return false;
    present.current = texts;
    setShown((before) => ({ ...before, texts, isWritten: false }));
    clearTimeout(timer.current);
    return true;
  };

  return {
    ...shown,
    /** Takes what was typed. */
    edit: (patch: Partial<Texts>): void => {
      if (take(patch)) timer.current = setTimeout(() => write(true), PAUSE_MS);
    },
    /**
     * Takes other texts, from a file for instance: a new entry of the history.
     *
     * @returns whether they are others than before
     */
    put: (patch: Partial<Texts>): boolean => {
      if (!take(patch)) return false;
      setShown((before) => ({ ...before, loads: before.loads + 1 }));
      write(false);
      return true;
    },
  };
}
