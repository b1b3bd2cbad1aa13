import { type AccessDifference, COMMANDS, mayTakeAway, takesAway } from '../provisioning/index.ts';
import { defined } from '../table/defined.ts';
import { accessLines, losersIn } from './access.ts';
import { confirm } from './ask.ts';
import { type Context, NothingDoneError } from './context.ts';
import { knownAs, namedIn } from './known-as.ts';
import { plain } from './print.ts';
import { accepted, type Sender } from './provisioning.ts';
import type { Command } from './transport.ts';

/** What a person agrees to: who loses access, and what undoes it. */
export interface Agreed {
  /** Undefined where it could not be found out, and `--yes` was given. */
  readonly access: AccessDifference | undefined;
  readonly undo: readonly string[];
  /** What the commands name, as people know it, with their references; the first ten. */
  readonly named: readonly string[];
}

/** As many things are named of those that a command takes away. */
const MOST_NAMED = 10;

/** The commands that take something away, or may, in a transaction too, and their undo. */
const undoOf = (commands: readonly Command[]): readonly string[] => [
  ...new Set(
    commands.flatMap(({ command, input }): readonly string[] => {
      if (command === 'transaction.write' && Array.isArray(input.commands)) return undoOf(input.commands);
      const found = COMMANDS.get(command);
      return mayTakeAway(found, input) ? [`${command}: ${found.destructive.undo}`] : [];
    }),
  ),
];

/** Whether one of them takes something away for sure: a deletion, even if nobody has access by it. */
const isCertain = (commands: readonly Command[]): boolean =>
  commands.some(({ command, input }) => takesAway(COMMANDS.get(command), input));

/**
 * Before commands that take access or data away: says who loses what and what undoes it, and asks. Other commands
 * pass.
 *
 * @param what a sentence for people
 * @returns undefined where nothing is taken away
 * @throws NothingDoneError where the answer is not yes, or nobody can be asked and `--yes` is not given
 * @throws RefusedError where provisioning would refuse the commands, unless `--yes` is given
 */
export async function agree(
  { deliver }: Pick<Sender, 'deliver'>,
  commands: readonly Command[],
  what: string,
  { yes: isAgreed = false, json = false }: { readonly [K in 'yes' | 'json']?: boolean | undefined },
  { terminal, isTerminal, out, error }: Context,
): Promise<Agreed | undefined> {
  const undo = undoOf(commands);
  if (undo.length === 0) return undefined;
  const access = await compared(deliver, commands, isAgreed);
  if (!isCertain(commands) && 'loses' in access && access.loses.people === 0 && !access.incomplete)
    return undefined;
  const canAsk = !isAgreed && !json && isTerminal && terminal !== undefined;
  const targets = commands.flatMap(({ command, input }) => namedIn(command, input)).slice(0, MOST_NAMED);
  const known = await knownAs(deliver, [...targets, ...('loses' in access ? losersIn(access.loses) : [])]);
  const named = targets.map((target) => `${target.field} ${known(target)}`);
  const lines = [
    plain(what),
    ...named.map((each) => plain(`  ${each}`)),
    ...('loses' in access
      ? accessLines(access, known)
      : ['', plain(`who loses access is not known: ${access.fault}`)]),
    '',
    ...undo.map((each) => plain(`undo of ${each}`)),
  ];
  if (!json) (canAsk ? out : error)(`${lines.join('\n')}\n`);
  const agreed = { access: 'loses' in access ? access : undefined, undo, named };
  if (isAgreed) return agreed;
  const refuse = (why: string) =>
    new NothingDoneError('not_agreed', `nothing was done: ${why}`, { ...agreed });
  if (!canAsk) throw refuse('nobody can be asked: give --yes to do it');
  if (!(await confirm(terminal, 'Do this?'))) throw refuse('the answer was not yes');
  return agreed;
}

/** Who loses what. With `--yes` no error of this keeps anybody from revoking. */
async function compared(
  deliver: Sender['deliver'],
  commands: readonly Command[],
  isAgreed: boolean,
): Promise<AccessDifference | { readonly fault: string }> {
  const [first] = commands;
  const { answer } =
    first?.command === 'tenant.apply'
      ? await deliver({ command: 'tenant.plan', input: planInput(first.input) })
      : await deliver({ command: 'access.compare', input: { commands } });
  // What is refused here is mostly refused when it is sent as well, or was done under the same operation before.
  if (!answer.ok && isAgreed) return { fault: answer.error.message };
  const { result } = accepted(answer);
  return (first?.command === 'tenant.apply' ? result.access : result) as AccessDifference;
}

const planInput = ({ manifest, prune, pruneShared }: Command['input']): Command['input'] =>
  defined({ manifest, prune, pruneShared });
