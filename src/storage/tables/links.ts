import type { Table } from './table.ts';

/**
 * Whose wallet is whose: apart from the ledger, and no public figure is made of it. Platform and
 * account are those of a chat, a chain its place in CHAINS. Released: what is here never changes;
 * see `Table.added`.
 */
export const LINK_TABLES: readonly Table[] = [
  {
    name: 'link',
    columns: {
      platform: 'key',
      address: 'key',
      chain: 'small',
      account: 'key',
      linked_at: 'big',
      checked_at: 'big',
      strikes: 'int',
      // JSON.
      proof: 'text',
    },
    key: 'platform, address',
    indexes: {
      link_account: {
        sqlite: '(platform, account)',
        postgres: '(platform, account, linked_at, address)',
      },
      link_checked: { sqlite: '(checked_at)', postgres: '(checked_at, platform, address)' },
    },
  },
  {
    name: 'link_claim',
    columns: {
      platform: 'key',
      address: 'key',
      chain: 'small',
      account: 'key',
      claimed_at: 'big',
      due_at: 'big',
      proof: 'text',
    },
    key: 'platform, address',
    indexes: {
      link_claim_account: '(platform, account)',
      link_claim_due: { sqlite: '(due_at)', postgres: '(due_at, address)' },
    },
  },
  {
    name: 'link_hold',
    columns: {
      platform: 'key',
      address: 'key',
      chain: 'small',
      // The account that may link it meanwhile; NULL when that was erased.
      keeper: 'key?',
      until: 'big',
    },
    added: {
      'delegated wallets': {
        columns: {
          // 1 if it was linked by a delegation, which its owner's signature overrides.
          delegated: 'small = 0',
        },
      },
    },
    key: 'platform, address',
    indexes: { link_hold_keeper: '(platform, keeper)', link_hold_until: '(until)' },
  },
  {
    name: 'link_request',
    columns: {
      id: 'key',
      version: 'big',
      platform: 'key',
      account: 'key',
      way: 'key',
      ticket: 'key? unique',
      session: 'key? unique',
      created_at: 'big',
      expires_at: 'big',
      // The rest of the request, JSON.
      body: 'text',
    },
    key: 'id',
    unique: '(platform, account, way)',
    indexes: { link_request_expires: '(expires_at)' },
  },
  {
    name: 'link_choice',
    columns: { platform: 'key', account: 'key', privacy: 'text', communities: 'text' },
    // 1 if communities never announce it.
    added: { announcements: { columns: { unannounced: 'small = 0' } } },
    key: 'platform, account',
  },
  {
    name: 'link_event',
    columns: {
      seq: 'serial',
      at: 'big',
      platform: 'key',
      account: 'key',
      event: 'text',
      chain: 'small?',
      address: 'key?',
    },
    key: 'seq',
    indexes: {
      link_event_account: { sqlite: '(platform, account)', postgres: '(platform, account, seq)' },
    },
  },
  // Members connected for Discord's Linked Roles.
  {
    name: 'role_connection',
    columns: {
      // Discord's id.
      account: 'key',
      // Sealed.
      tokens: 'bytes',
      // Counts their changes.
      version: 'big',
      connected_at: 'big',
      checked_at: 'big',
      told: 'small',
      // JSON, both.
      shown: 'text?',
      fall: 'text?',
    },
    key: 'account',
    indexes: {
      role_connection_checked: { sqlite: '(checked_at)', postgres: '(checked_at, account)' },
    },
  },
  // Those of erased accounts, until Discord has deleted what it has of them.
  {
    name: 'role_parting',
    since: 'erased accounts that Discord knows',
    columns: { account: 'key', tokens: 'bytes', version: 'big', ends_at: 'big', tried_at: 'big' },
    key: 'account',
  },
];
