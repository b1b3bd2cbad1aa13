/** The parts of `arn:partition:execute-api:region:account:api/stage/VERB/path`. */
export interface MethodArn {
  readonly stage: string;
  readonly verb: string;
  /** As it stands in the ARN; `/` when there is none. */
  readonly path: string;
}

/** Only the first five colons part an ARN: a path may hold more. The path may be empty, all else may not. */
const METHOD_ARN = /^arn:[^:]+:execute-api:[^:]*:[^:]*:[^/]+\/([^/]+)\/([^/]+)(\/.*)?$/su;

/** The ARN up to the slash behind its stage: all methods and paths of the API begin with it. */
export const apiOf = (arn: string): string | undefined => /^(?:[^:]*:){5}[^/]+\/[^/]+\//su.exec(arn)?.[0];

/** Reads the ARN of a method or route; undefined when it is none. */
export function parseMethodArn(arn: string): MethodArn | undefined {
  const [, stage, verb, path = '/'] = METHOD_ARN.exec(arn) ?? [];
  return stage === undefined || verb === undefined ? undefined : { stage, verb, path };
}
