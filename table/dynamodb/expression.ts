import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { FORM } from '../form.ts';
import { type Action, type Condition, keyOf, type Update } from '../write/action.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Collects placeholders, so that no attribute name or value is ever written into an expression. */
function createPlaceholders() {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const numberOf = new Map<string, string>();
  return {
    name(attribute: string): string {
      const known = numberOf.get(attribute);
      if (known) return known;
      const placeholder = `#n${numberOf.size}`;
      numberOf.set(attribute, placeholder);
      names[placeholder] = attribute;
      return placeholder;
    },
    value(value: unknown): string {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
    attributes() {
      return {
        ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
        ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
      };
    },
  };
}
type Placeholders = ReturnType<typeof createPlaceholders>;

function conditionOf(condition: Condition, p: Placeholders): string {
  const clauses: string[] = [];
  if (condition.exists !== undefined) {
    const exists = condition.exists ? 'attribute_exists' : 'attribute_not_exists';
    clauses.push(`${exists}(${p.name('PK')})`);
  }
  for (const [attribute, value] of Object.entries(condition.equals ?? {})) {
    clauses.push(
      value === undefined
        ? `attribute_not_exists(${p.name(attribute)})`
        : `${p.name(attribute)} = ${p.value(value)}`,
    );
  }
  for (const [attribute, most] of Object.entries(condition.atMost ?? {})) {
    const name = p.name(attribute);
    clauses.push(`(attribute_not_exists(${name}) OR ${name} <= ${p.value(most)})`);
  }
  // An item without a form, and one of an older form, is no newer one.
  if (condition.form !== undefined) clauses.push(`NOT (${p.name(FORM)} > ${p.value(condition.form)})`);
  return clauses.join(' AND ');
}

function updateOf(action: Update, p: Placeholders): string {
  const clauses: string[] = [];
  const clause = (word: string, parts: readonly string[]) => {
    if (parts.length > 0) clauses.push(`${word} ${parts.join(', ')}`);
  };
  const pairs = (map: Readonly<Record<string, unknown>> | undefined, between: string) =>
    Object.entries(map ?? {}).map(([attribute, value]) => `${p.name(attribute)}${between}${p.value(value)}`);
  clause('SET', [
    ...pairs(action.set, ' = '),
    ...Object.entries(action.initial ?? {}).map(
      ([attribute, value]) => `${p.name(attribute)} = if_not_exists(${p.name(attribute)}, ${p.value(value)})`,
    ),
  ]);
  clause(
    'REMOVE',
    (action.remove ?? []).map((attribute) => p.name(attribute)),
  );
  clause('ADD', pairs(action.add, ' '));
  clause('DELETE', pairs(action.takeOut, ' '));
  return clauses.join(' ');
}

/**
 * Builds the request of one action. Pure. A condition that fails answers with the item as it stood. An update
 * that changes nothing is a check: DynamoDB takes no empty expression.
 */
export function toTransactItem(action: Action, table: string): TransactItem {
  const p = createPlaceholders();
  const expression = action.kind === 'update' ? updateOf(action, p) : '';
  const condition = action.when
    ? {
        ConditionExpression: conditionOf(action.when, p),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      }
    : {};
  const shared = { TableName: table, ...condition, ...p.attributes() };
  switch (action.kind) {
    case 'put':
      return { Put: { ...shared, Item: { ...action.item } } };
    case 'update':
      if (expression === '' && action.when)
        return { ConditionCheck: { ...shared, Key: { ...keyOf(action) } } as TransactCheck };
      return { Update: { ...shared, Key: { ...keyOf(action) }, UpdateExpression: expression } };
    case 'delete':
      return { Delete: { ...shared, Key: { ...keyOf(action) } } };
    case 'check':
      return { ConditionCheck: { ...shared, Key: { ...keyOf(action) } } as TransactCheck };
  }
}
type TransactCheck = NonNullable<TransactItem['ConditionCheck']>;
