/** What new rules for scores would do to roles, before they apply. */

export { type RehearsedRules, rehearsalDay, rehearse } from './rehearse.ts';
export type { RoleMoves } from './rehearsed-roles.ts';
