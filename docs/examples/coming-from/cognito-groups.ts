/** Claims of an access token of Cognito, verified. */
export interface Claims {
  readonly sub: string;
  readonly 'cognito:groups'?: readonly string[];
}

const isIn = (claims: Claims, group: string): boolean => claims['cognito:groups']?.includes(group) ?? false;

export const may = {
  read: (_: Claims) => true,
  edit: (claims: Claims) => isIn(claims, 'editors') || isIn(claims, 'admins'),
  invite: (claims: Claims) => isIn(claims, 'admins'),
};
