import { useAddress } from '../../address.ts';
import { useCall } from '../../calls.ts';
import { useClient } from '../../client.ts';
import { CommandFields } from '../../commands/fields.tsx';
import { inputOf, missing } from '../../commands/form.ts';
import { useList } from '../../list.ts';
import { commandPages, type Item } from '../../load-page.ts';
import { useNames } from '../../names.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Select, TextField, Warning } from '../../parts/field.tsx';
import { Named } from '../../parts/named.tsx';
import { type Column, Pages } from '../../parts/pages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Changes, calledOf, Entity } from './record.tsx';
import { actorRef, changesOf, type FieldChange, kept, textOf } from './records.ts';
import { fieldsOfLog, isLog, LOGS, type LogName } from './source.ts';
import { useTenant } from './use-tenant.ts';

const COMMAND = 'audit.list';
/** Records of one page. */
const PAGE = 100;

/** Who changed what and when, with what it was before and after. */
export function LogView() {
  const { state, go } = useAddress();
  const { send, manifest } = useClient();
  const log = isLog(state.log) ? state.log : 'tenant';
  const forms = useCall('forms', { commands: [COMMAND] });
  const found = useTenant(state.tenant ?? state.scope);
  const values = { ...state, tenant: found.value ?? '' };
  const fields = fieldsOfLog(log, forms.value?.forms[COMMAND]?.fields ?? []);
  const isAsked = forms.value !== undefined && missing(fields, values).length === 0;
  const isOldest = state.order === 'oldest';
  const input = { ...inputOf(fields, values), descending: !isOldest, limit: PAGE };
  const list = useList(isAsked ? JSON.stringify(input) : undefined, commandPages(send, COMMAND, input));
  const failed = [forms, found].filter((each) => each.error !== undefined);
  const retry = () => {
    for (const each of failed) each.retry();
  };
  const nameOf = useNames();
  const called = (record: Item) => calledOf(record, nameOf);
  const records = kept(list.items, state, called);
  const shown = { ...list, items: records };
  const isFiltered = records.length < list.items.length;
  const columns: readonly Column<Item>[] = [
    { title: 'When (UTC)', text: ({ timestamp }) => textOf(timestamp), show: When },
    { title: 'Actor', text: ({ actor }) => (actor === undefined ? '' : textOf(actor)), show: Actor },
    { title: 'Command', text: ({ action }) => textOf(action), show: Action },
    {
      title: 'Entity',
      text: (record) => `${textOf(record.entityType)} ${called(record)}`,
      show: (record) => <Entity record={record} />,
    },
    {
      title: 'Before and after',
      text: (record) => changesOf(record).map(changeText).join('; '),
      show: (record) => (
        <Changes
          record={record}
          isOpen={record.id === state.record}
          onToggle={(isOpen) => {
            if (isOpen !== (record.id === state.record))
              go({ record: isOpen ? textOf(record.id) : undefined }, { replace: true });
          }}
        />
      ),
    },
  ];
  return (
    <>
      <div class="question">
        <Select
          label="The log of"
          value={log}
          options={LOGS}
          onChoose={(chosen) => go({ log: chosen, record: undefined })}
        />
        <CommandFields
          key={log}
          fields={fields}
          values={values}
          onChange={(key, value) => go({ [key]: value, record: undefined })}
        />
      </div>
      <Filters records={list.items} />
      {list.hasMore && (
        <Warning>
          These are the {isOldest ? 'first' : 'last'} records of the period, {isOldest ? 'up to' : 'back to'}{' '}
          {textOf(list.items.at(-1)?.timestamp)}; there are {isOldest ? 'later' : 'earlier'} ones. Load more,
          or choose another period.
        </Warning>
      )}
      {!isAsked && failed[0]?.error ? (
        <Problem of={failed[0].error} retry={retry} />
      ) : !isAsked ? (
        <Nobody log={log} isLooking={!forms.value || found.isLoading} isPlayground={manifest !== undefined} />
      ) : (
        <Pages
          caption="Audit records"
          file="gatehouse-log"
          list={shown}
          columns={columns}
          keyOf={({ id }) => textOf(id)}
          selected={state.record}
          empty={
            isFiltered ? (
              <Empty title="No record is like this">Empty the fields for actor, command and entity.</Empty>
            ) : (
              <Empty title="No records">
                {manifest !== undefined
                  ? 'The log of the playground begins with the last edit of the manifest. Make a change in What if to add to it.'
                  : 'Choose an earlier begin, a later end, or another log. Records are kept for a year.'}
              </Empty>
            )
          }
        />
      )}
    </>
  );
}

const changeText = ({ name, kind, before, after }: FieldChange): string =>
  kind === 'changed'
    ? `~ ${name}: ${before} -> ${after}`
    : kind === 'added'
      ? `+ ${name}: ${after}`
      : `- ${name}: ${before}`;

const When = ({ timestamp }: Item) => (
  <time dateTime={textOf(timestamp)}>{textOf(timestamp).replace('T', ' ').replace('Z', '')}</time>
);

function Actor(record: Item) {
  const ref = actorRef(record);
  if (ref !== undefined) return <Named of={ref} />;
  if (record.actor === undefined) return <span class="none">no actor</span>;
  return <bdi>{textOf(record.actor)}</bdi>;
}

/** What takes away or opens much is marked in each record. */
const Action = ({ action, severity }: Item) => (
  <>
    <code>{textOf(action)}</code>
    {(severity === 'warning' || severity === 'critical') && (
      <span class="severity">
        {' '}
        <span aria-hidden="true">⚠</span> {severity}
      </span>
    )}
  </>
);

/** What the loaded records have to have, and the order of the log. */
function Filters({ records }: { readonly records: readonly Item[] }) {
  const { state, go } = useAddress();
  const field = (name: 'by' | 'action' | 'entity', label: string, of: keyof Item) => (
    <TextField
      label={label}
      type="search"
      suggestions={[
        ...new Set(records.flatMap((record) => (record[of] === undefined ? [] : textOf(record[of])))),
      ].sort()}
      value={state[name] ?? ''}
      onType={(text) => go({ [name]: text }, { replace: true })}
    />
  );
  return (
    <div class="question">
      {field('by', 'Actor contains', 'actor')}
      {field('action', 'Command contains', 'action')}
      {field('entity', 'Entity contains', 'entityType')}
      <Select
        label="Order"
        value={state.order === 'oldest' ? 'oldest' : 'newest'}
        options={{ newest: 'newest first', oldest: 'oldest first' }}
        onChoose={(order) => go({ order: order === 'oldest' ? order : undefined })}
      />
    </div>
  );
}

interface NobodyProps {
  readonly log: LogName;
  readonly isLooking: boolean;
  readonly isPlayground: boolean;
}

/** Nothing is chosen of which there would be a log. */
function Nobody({ log, isLooking, isPlayground }: NobodyProps) {
  if (log === 'user')
    return <Empty title="Whose log?">Choose a user, to see what this user did in all tenants.</Empty>;
  if (isLooking) return <p class="loading">Loading…</p>;
  return (
    <Empty title="There is no tenant yet">
      {isPlayground ? 'Add a scope to the manifest: the log begins with that.' : 'Choose another log above.'}
    </Empty>
  );
}
