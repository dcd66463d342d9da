import { GATING_TABLES } from './gating.ts';
import { LEDGER_TABLES, SCORING_TABLES } from './ledger.ts';
import { LINK_TABLES } from './links.ts';
import { columnsOf, type DatabaseKind, isColumnOf, type Table } from './table.ts';
import { WEBHOOK_TABLES, WORK_TABLES } from './work.ts';

/** All tables, in the order in which they are made and moved. */
export const TABLES: readonly Table[] = [
  ...LEDGER_TABLES,
  ...SCORING_TABLES,
  {
    name: 'api_key',
    columns: {
      number: 'serial',
      id: 'key unique',
      hash: 'key unique',
      label: 'text',
      owner: 'key',
      created_at: 'big',
      revoked_at: 'big?',
    },
    key: 'number',
    indexes: { api_key_owner: { sqlite: '(owner)', postgres: '(owner, number)' } },
  },
  ...LINK_TABLES,
  ...GATING_TABLES,
  // How communities' cards look.
  {
    name: 'card_style',
    hasLargeRows: true,
    columns: {
      platform: 'key',
      community: 'key',
      // 0xRRGGBB.
      accent: 'int?',
      banner_digest: 'text?',
      // A PNG.
      banner: 'bytes?',
    },
    key: 'platform, community',
  },
  ...WEBHOOK_TABLES,
  ...WORK_TABLES,
];

/**
 * What a database of the newest version lacks all the same, as after somebody changed it by hand.
 * @param there the columns that it has, as `table.column`
 */
export function missingColumns(
  there: ReadonlySet<string>,
  database: DatabaseKind,
  tables: readonly Table[] = TABLES,
): string[] {
  return tables
    .filter(({ only }) => only === undefined || only === database)
    .flatMap((table) =>
      Object.entries(columnsOf(table))
        .filter(([, column]) => isColumnOf(column, database))
        .map(([column]) => `${table.name}.${column}`),
    )
    .filter((column) => !there.has(column));
}
