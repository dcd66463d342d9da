import { UserError } from '#base';

/** @returns the code of the UserError that some work throws, any other error, or undefined if it throws nothing */
export function thrownCode(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof UserError ? error.code : error;
  }
  return undefined;
}
