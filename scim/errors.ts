/** What a request did wrong, as RFC 7644 section 3.12 names it. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** An answer that is no success. Its detail is shown to the client: it holds nothing that the client did not send. */
export class ScimError extends Error {
  override readonly name = 'ScimError';
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The code of the error behind it, for the log. */
  readonly code: string | undefined;

  constructor(status: number, detail: string, more: ScimErrorDetails = {}) {
    super(detail);
    this.status = status;
    this.scimType = more.scimType;
    this.headers = more.headers ?? {};
    this.code = more.code;
  }
}

interface ScimErrorDetails {
  readonly scimType?: ScimType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code?: string;
}

export const badRequest = (scimType: ScimType, detail: string): ScimError =>
  new ScimError(400, detail, { scimType });

/** What is not there, and what is another connection's: nobody can tell them apart. */
export const notFound = (): ScimError => new ScimError(404, 'the resource does not exist');
