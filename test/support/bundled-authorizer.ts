/** The authorizer with those of its parts that tests make themselves: an error must be of the bundle's own class. */
export * from 'jose';
export * from '../../authorizer/errors.ts';
export * from '../../authorizer/index.ts';
export * from '../../table/errors.ts';
