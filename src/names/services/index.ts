/** Asks ENS, SNS and NFD. */

export { checkNameServices, openServices } from './open.ts';
export type { NameService } from './service.ts';
