import type { Resource, Template } from './template.ts';

/** What CloudFormation fills in by itself. */
const PSEUDO: Readonly<Record<string, unknown>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-central-1',
  'AWS::AccountId': '123456789012',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': 'gatehouse-live',
};

export type Resources = Readonly<Record<string, Resource>>;

export interface Evaluated {
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What CloudFormation makes of a template: conditions decided, parameters filled in, references replaced. The name of a
 * resource is its logical one, an attribute is `Name.Attribute`.
 *
 * @param parameters instead of their defaults, by name
 * @throws Error where something refers to what the stack does not have
 */
export function evaluateTemplate(
  template: Template,
  parameters: Readonly<Record<string, string | number>> = {},
): Evaluated {
  const given: Readonly<Record<string, unknown>> = {
    ...PSEUDO,
    ...Object.fromEntries(Object.entries(template.Parameters).map(([name, { Default }]) => [name, Default])),
    ...parameters,
  };
  const holds = (name: string): boolean => {
    if (!(name in template.Conditions)) throw new Error(`there is no condition ${name}`);
    return evaluated(template.Conditions[name]) === true;
  };
  const exists = (name: string): boolean => {
    const { Condition } = template.Resources[name] ?? {};
    return name in template.Resources && (Condition === undefined || holds(Condition));
  };
  /** The text of a reference: a parameter, a resource, or an attribute of one. */
  const named = (name: string): unknown => {
    if (name in given) return given[name];
    const [resource = ''] = name.split('.');
    // SAM makes these of a function with `AutoPublishAlias`.
    const of = /^(\w+)Aliaslive$/.exec(resource)?.[1] ?? resource;
    if (!exists(resource) && !(exists(of) && template.Resources[of]?.Type === 'AWS::Serverless::Function'))
      throw new Error(`there is no ${name}`);
    return name;
  };
  const FUNCTIONS: Readonly<Record<string, (value: never) => unknown>> = {
    Ref: (name: string) => (name === 'AWS::NoValue' ? undefined : named(name)),
    Condition: holds,
    'Fn::GetAtt': (path: readonly string[]) => named(path.join('.')),
    'Fn::Sub': (value: string | readonly [string, Readonly<Record<string, unknown>>]) => {
      const [text, own] = typeof value === 'string' ? [value, {}] : value;
      return text.replace(/\$\{([\w:.]+)\}/g, (_, name: string) =>
        String(name in own ? evaluated((own as Record<string, unknown>)[name]) : named(name)),
      );
    },
    'Fn::If': ([condition, yes, no]: readonly [string, unknown, unknown]) =>
      evaluated(holds(condition) ? yes : no),
    'Fn::Equals': (sides: readonly unknown[]) => {
      const [left, right] = sides.map(evaluated);
      return String(left) === String(right);
    },
    'Fn::Not': ([value]: readonly unknown[]) => evaluated(value) !== true,
    'Fn::And': (values: readonly unknown[]) => values.every((each) => evaluated(each) === true),
    'Fn::Or': (values: readonly unknown[]) => values.some((each) => evaluated(each) === true),
    'Fn::Join': ([separator, values]: readonly [string, readonly unknown[]]) =>
      values.map(evaluated).join(separator),
  };
  function evaluated(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(evaluated).filter((each) => each !== undefined);
    if (!isRecord(value)) return value;
    const [name = '', ...others] = Object.keys(value);
    const call = FUNCTIONS[name];
    if (call !== undefined && others.length === 0) return call(value[name] as never);
    const entries = Object.entries(value).map(([key, each]) => [key, evaluated(each)] as const);
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
  }
  const section = (entries: Readonly<Record<string, { readonly Condition?: string }>>) =>
    Object.fromEntries(
      Object.entries(entries)
        .filter(([, { Condition }]) => Condition === undefined || holds(Condition))
        .map(([name, { Condition: _, ...entry }]) => [name, evaluated(entry)]),
    );
  return {
    Resources: section(template.Resources) as Evaluated['Resources'],
    Outputs: section(template.Outputs) as Evaluated['Outputs'],
  };
}
