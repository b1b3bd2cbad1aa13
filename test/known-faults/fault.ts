import {
  ASKING,
  type Ask,
  type Door,
  type Doors,
  doorsOf,
  type Model,
  modelOf,
  open,
  type Question,
  READ,
  SHOWING,
} from './doors.ts';

/** Faults that others published, all of one shape: each is tried at every door of ours that takes such an input. */
export interface KnownFault {
  /** The product with the CVE, advisory or release that names it. */
  readonly ids: readonly string[];
  /** What went wrong there. */
  readonly shape: string;
  /** What holds here; or, where nothing of ours has such an input, why. */
  readonly answer: string;
  /** None where it cannot apply: `answer` says why. */
  readonly at: Readonly<Partial<Record<Door, () => Promise<void>>>>;
}

export interface Kind {
  readonly title: string;
  readonly faults: readonly KnownFault[];
}

type AskingDoor = (typeof ASKING)[number];

/** Doors that have asked nothing, each time, over one table that nobody changes. */
function openedOnce(model: Model): () => Promise<Doors> {
  let first: Promise<Doors> | undefined;
  return async () => {
    first ??= open(model);
    const { kit } = await first;
    return { kit, ...doorsOf(kit, kit.reader) };
  };
}

/** The same test at each door that decides, over a model of its own. */
export function whereverAsked(
  model: Model,
  test: (ask: Ask, doors: Doors, door: AskingDoor) => Promise<void>,
  doors: readonly AskingDoor[] = ASKING,
): KnownFault['at'] {
  const openDoors = openedOnce(model);
  const at = (door: AskingDoor) => async () => {
    const opened = await openDoors();
    await test(opened.ask[door], opened, door);
  };
  return Object.fromEntries(doors.map((door) => [door, at(door)]));
}

/** Answers to questions that are asked at once. */
export const together = (ask: Ask, questions: readonly Question[]): Promise<readonly string[]> =>
  Promise.all(questions.map(ask));

/** A place where the enforcement point may read. */
export const PLACE = modelOf(`
roles: { reader: { owner: t, allow: ["${READ}"] } }
groups: { all: { scope: t, everyone: true, roles: [reader] } }
`);

const openPlace = openedOnce(PLACE);

/** The same test at each door that takes a credential: `show` sends an Authorization header. */
export const whereverShown = (
  test: (show: (header: string) => Promise<string>, doors: Doors) => Promise<void>,
): KnownFault['at'] =>
  Object.fromEntries(
    SHOWING.map((door) => [
      door,
      async () => {
        const opened = await openPlace();
        await test(opened.show[door], opened);
      },
    ]),
  );
