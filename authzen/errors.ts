/** A caller that may evaluate nowhere: 403. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
}

/** A request that is no request of the protocol: 400, with a message that names the field. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
}
