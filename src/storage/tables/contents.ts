/** What a database holds, by name; a table that its version doesn't have is left out. */
export type Contents = Readonly<Record<string, number>>;

/** The tables by which people know a database, in the order in which they are shown. */
export const COUNTED: readonly (readonly [name: string, table: string])[] = [
  ['wallets', 'wallet'],
  ['activities', 'activity'],
  ['badges', 'badge'],
  ['events', 'evidence'],
  ['linked wallets', 'link'],
  ['role rules', 'gate_rule'],
  ['API keys', 'api_key'],
  ['webhooks', 'webhook'],
];
