export interface FunctionReference {
  readonly name: string;
  /** A version or alias; undefined when none was asked for. */
  readonly qualifier: string | undefined;
}

/** The only version: nothing is published locally. */
export const LATEST = '$LATEST';

const ARN_PREFIX = /^(arn:aws[\w-]*:lambda:[a-z0-9-]+:\d{12}:function:|\d{12}:function:|function:)/;

/**
 * Reads the `FunctionName` of an Invoke request: a name, a partial ARN or a full ARN, each with or without
 * a qualifier (Lambda API_Invoke). Region and account are ignored.
 *
 * @returns undefined for any other text
 */
export function parseFunctionName(text: string): FunctionReference | undefined {
  const [, name, qualifier] =
    /^([\w-]{1,140})(?::(\$LATEST|[\w-]+))?$/.exec(text.replace(ARN_PREFIX, '')) ?? [];
  return name === undefined ? undefined : { name, qualifier };
}

/** The ARN of a local function, for its context and for errors. */
export const functionArn = ({ name, qualifier }: FunctionReference): string =>
  `arn:aws:lambda:us-east-1:000000000000:function:${name}${qualifier === undefined ? '' : `:${qualifier}`}`;
