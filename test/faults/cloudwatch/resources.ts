import { samTemplate, sectionsOf } from '../../../deploy/bundle/sam-template.ts';

export interface Resource {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** The resources of a template by logical id, with all that refers to something filled in. */
export type Resources = Readonly<Record<string, Resource>>;

type Template = Readonly<
  Record<'Parameters' | 'Conditions' | 'Resources', Readonly<Record<string, unknown>>>
>;

/** A part that `AWS::NoValue` takes away. */
const NO_VALUE = Symbol('AWS::NoValue');

/**
 * The resources of the stack: those of the package's template, and of the AuthZEN API. A reference to a resource is its logical id, also where
 * AWS would give a name or an ARN.
 *
 * @param given parameters; the others have their defaults
 */
export function resourcesOf(stackName: string, given: Readonly<Record<string, string>>): Resources {
  const { Parameters, ...shared } = samTemplate() as Template;
  // The AuthZEN API is in the stack of Serverless only.
  const authzen = sectionsOf('authzen') as Omit<Template, 'Parameters'>;
  const Conditions = { ...shared.Conditions, ...authzen.Conditions };
  const Resources = { ...shared.Resources, ...authzen.Resources };
  const defaults = Object.entries(Parameters).map(([name, value]) => [
    name,
    (value as { Default?: unknown }).Default,
  ]);
  const values: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(defaults),
    ...given,
    'AWS::StackName': stackName,
    'AWS::Region': 'eu-central-1',
    'AWS::AccountId': '123456789012',
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::NoValue': NO_VALUE,
  };
  const referenced = (name: string): unknown => (name in values ? values[name] : name);
  const isTrue = (name: string): boolean => resolve(Conditions[name]) === true;

  const functions: Readonly<Record<string, (argument: unknown) => unknown>> = {
    Ref: (name) => referenced(String(name)),
    Condition: (name) => isTrue(String(name)),
    'Fn::GetAtt': (path) => [path].flat().join('.'),
    'Fn::If': (argument) => {
      const [condition, then, otherwise] = argument as [string, unknown, unknown];
      return resolve(isTrue(condition) ? then : otherwise);
    },
    'Fn::Equals': (argument) => {
      const [first, second] = resolve(argument) as unknown[];
      return String(first) === String(second);
    },
    'Fn::Not': (argument) => (resolve(argument) as unknown[])[0] !== true,
    'Fn::And': (argument) => (resolve(argument) as unknown[]).every((each) => each === true),
    'Fn::Or': (argument) => (resolve(argument) as unknown[]).some((each) => each === true),
    'Fn::Sub': (argument) => {
      const [text, own] = (Array.isArray(argument) ? argument : [argument, {}]) as [
        string,
        Record<string, unknown>,
      ];
      return text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) =>
        String(name in own ? resolve(own[name]) : referenced(name)),
      );
    },
  };

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve).filter((each) => each !== NO_VALUE);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = ['', undefined]] = entries;
    const apply = entries.length === 1 ? functions[name] : undefined;
    if (apply) return apply(argument);
    const resolved = entries.map(([key, each]) => [key, resolve(each)] as const);
    return Object.fromEntries(resolved.filter(([, each]) => each !== NO_VALUE));
  }

  const present = Object.entries(Resources as Resources).filter(
    ([, { Condition }]) => Condition === undefined || isTrue(Condition),
  );
  return Object.fromEntries(
    // `Condition` of a resource is a name, not the function.
    present.map(([id, { Type, Properties }]) => [
      id,
      { Type, Properties: resolve(Properties ?? {}) as Resource['Properties'] },
    ]),
  );
}
