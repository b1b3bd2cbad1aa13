import { useAddress } from '../../address.ts';
import { useClient, useNow } from '../../client.ts';
import { useList } from '../../list.ts';
import { commandPages } from '../../load-page.ts';
import { Empty } from '../../parts/empty.tsx';
import { named, Select } from '../../parts/field.tsx';
import { FIELDS } from '../../parts/fields.ts';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import { type Column, Pages } from '../../parts/pages.tsx';
import { ActingFields, GivenField, QuestionFields } from '../../parts/question.tsx';
import { SubViews } from '../../parts/sub-views.tsx';
import { When } from '../../parts/when.tsx';
import { questionOf, type Row, SEARCHES, type Search, searchOf } from './searches.ts';

const TITLES = { who: SEARCHES.who.title, what: SEARCHES.what.title, where: SEARCHES.where.title };

/** Subject, action and resource search: who may do what where. */
export function SearchView() {
  const { state } = useAddress();
  const search = searchOf(state.search);
  const { sentence, asked } = SEARCHES[search];
  return (
    <>
      <SubViews
        label="Searches"
        titles={TITLES}
        current={search}
        to="search"
        askOf={(name) => ({ search: name })}
      />
      <p class="sentence">{sentence}</p>
      <div class="question">
        <QuestionFields of={asked} />
        <TypeField search={search} />
      </div>
      <ActingFields />
      <When now={useNow()} />
      <GivenField />
      <Found search={search} />
    </>
  );
}

/** Limits a search to one type of what it finds. */
function TypeField({ search }: { readonly search: Search }) {
  const { send } = useClient();
  const { state, go } = useAddress();
  const { type = '' } = state;
  const { typedBy, types, added } = SEARCHES[search];
  const { items } = useList(added, commandPages(send, added ?? ''));
  const all = [...types, ...items.map(({ name }) => String(name)), ...(type ? [type] : [])];
  return (
    <Select
      label={typedBy === 'kind' ? 'Kind' : 'Type'}
      value={type}
      options={{ '': 'all', ...named(all) }}
      onChoose={(chosen) => go({ type: chosen })}
    />
  );
}

/** The answers of a search, each one click from its explanation. */
function Found({ search }: { readonly search: Search }) {
  const { state } = useAddress();
  const { send } = useClient();
  const question = questionOf(state);
  const list = useList(
    question?.key,
    question?.load(send) ?? (async () => ({ ok: true, result: { items: [] } })),
  );
  const { title, asked, finds } = SEARCHES[search];
  const missing = asked.filter((name) => !state[name]).map((name) => FIELDS[name]);
  // What cannot be read is said beside its field.
  if (!question && missing.length === 0) return null;
  if (!question) {
    return (
      <Empty title="Nothing is asked yet">
        Choose <strong>{missing.join(' and ')}</strong> above. There will be a row for each answer, with a
        link to its reason.
      </Empty>
    );
  }
  return (
    <Pages
      caption={`Answers: ${title}`}
      file={`gatehouse-${search}`}
      list={list}
      columns={COLUMNS[search]}
      keyOf={({ ref }) => ref}
      link={{ title: 'Why', to: 'why', askOf: ({ ref }) => ({ [finds]: ref }) }}
      empty={<Nobody search={search} />}
    />
  );
}

const NAME: Column<Row> = {
  title: 'Name',
  text: ({ name }) => name,
  show: ({ ref, name }) => <Named of={{ ref, name }} />,
};
const REFERENCE: Column<Row> = {
  title: 'Reference',
  text: ({ ref }) => ref,
  show: ({ ref }) => <code>{ref}</code>,
};
const TYPE: Column<Row> = { title: 'Type', text: ({ ref }) => ref.slice(0, ref.indexOf(':')) };

const COLUMNS: Readonly<Record<Search, readonly Column<Row>[]>> = {
  who: [NAME, TYPE, REFERENCE],
  where: [NAME, TYPE, REFERENCE],
  what: [
    { title: 'Permission', text: ({ name }) => name, show: ({ name }) => <code>{name}</code> },
    { title: 'Kind', text: ({ name }) => (name.includes(':') ? 'permission' : 'page') },
    { title: 'Description', text: ({ description = '' }) => description },
  ],
};

/** No answer is an answer; what may be wrong with the question, and what to do next. */
function Nobody({ search }: { readonly search: Search }) {
  const { state } = useAddress();
  return (
    <Empty title={`${SEARCHES[search].none}${state.at ? ' at that time' : ''}`}>
      {state.type === undefined ? (
        <>
          Ask <Link to="why">why</Link> for one case: it says which link is missing.
        </>
      ) : (
        <>
          Choose <strong>all</strong> instead of <strong>{state.type}</strong>, or ask{' '}
          <Link to="why">why</Link> for one case.
        </>
      )}
    </Empty>
  );
}
