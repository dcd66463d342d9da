/** What a column holds; any of them may be empty (NULL). Truth values are integers, 0 or 1. */
type ColumnKind = 'integer' | 'text' | 'bytes';

/** A table whose rows mean the same in every store. */
export interface TransferTable {
  readonly name: string;
  /** Kind by name, in the order in which rows have their values. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** Of the primary key, in its order. */
  readonly key: readonly string[];
}

/**
 * Everything that moves with a store. What isn't here is of the moment: which replicas live, what
 * they are at, what was delivered to them.
 */
export const TABLES: readonly TransferTable[] = [
  {
    name: 'wallet',
    columns: {
      id: 'integer',
      address: 'text',
      chain: 'integer',
      points: 'integer',
      activities: 'integer',
      updated_at: 'integer',
    },
    key: ['id'],
  },
  {
    name: 'badge',
    columns: {
      number: 'integer',
      id: 'text',
      name: 'text',
      description: 'text',
      tier: 'text',
      image_url: 'text',
      soulbound: 'integer',
      revision: 'integer',
    },
    key: ['number'],
  },
  {
    name: 'activity',
    columns: {
      seq: 'integer',
      wallet: 'integer',
      id: 'text',
      type: 'text',
      description: 'text',
      points: 'integer',
      timestamp: 'integer',
      badge: 'integer',
    },
    key: ['seq'],
  },
  {
    name: 'busy_activity',
    columns: { wallet: 'integer', timestamp: 'integer', seq: 'integer' },
    key: ['wallet', 'timestamp', 'seq'],
  },
  {
    name: 'name',
    columns: { wallet: 'integer', display_name: 'text', revision: 'integer' },
    key: ['wallet'],
  },
  {
    name: 'award',
    columns: { wallet: 'integer', badge: 'integer', earned_at: 'integer', seq: 'integer' },
    key: ['wallet', 'badge'],
  },
  {
    name: 'batch',
    // With the names of its batches a history is known again by who remembers one of them.
    columns: { id: 'integer', last_seq: 'integer', committed_at: 'integer', uid: 'text' },
    key: ['id'],
  },
  {
    name: 'api_key',
    columns: {
      number: 'integer',
      id: 'text',
      hash: 'text',
      label: 'text',
      owner: 'text',
      created_at: 'integer',
      revoked_at: 'integer',
    },
    key: ['number'],
  },
  {
    name: 'link',
    columns: {
      platform: 'text',
      address: 'text',
      chain: 'integer',
      account: 'text',
      linked_at: 'integer',
      checked_at: 'integer',
      strikes: 'integer',
      proof: 'text',
    },
    key: ['platform', 'address'],
  },
  {
    name: 'link_claim',
    columns: {
      platform: 'text',
      address: 'text',
      chain: 'integer',
      account: 'text',
      claimed_at: 'integer',
      due_at: 'integer',
      proof: 'text',
    },
    key: ['platform', 'address'],
  },
  {
    name: 'link_hold',
    columns: {
      platform: 'text',
      address: 'text',
      chain: 'integer',
      keeper: 'text',
      until: 'integer',
    },
    key: ['platform', 'address'],
  },
  {
    name: 'link_request',
    columns: {
      id: 'text',
      version: 'integer',
      platform: 'text',
      account: 'text',
      way: 'text',
      ticket: 'text',
      session: 'text',
      created_at: 'integer',
      expires_at: 'integer',
      body: 'text',
    },
    key: ['id'],
  },
  {
    name: 'link_choice',
    columns: { platform: 'text', account: 'text', privacy: 'text', communities: 'text' },
    key: ['platform', 'account'],
  },
  {
    name: 'link_event',
    columns: {
      seq: 'integer',
      at: 'integer',
      platform: 'text',
      account: 'text',
      event: 'text',
      chain: 'integer',
      address: 'text',
    },
    key: ['seq'],
  },
  {
    name: 'gate_rule',
    columns: {
      platform: 'text',
      community: 'text',
      id: 'text',
      grant_id: 'text',
      grant_name: 'text',
      requirements: 'text',
      matching: 'text',
      chain: 'integer',
      exclusive: 'integer',
      grace_seconds: 'integer',
      paused: 'text',
      created_by: 'text',
      created_at: 'integer',
    },
    key: ['platform', 'community', 'id'],
  },
  {
    name: 'gate_settings',
    columns: {
      platform: 'text',
      community: 'text',
      log_channel: 'text',
      memory: 'text',
      roll: 'text',
    },
    key: ['platform', 'community'],
  },
  {
    name: 'gate_member',
    columns: {
      platform: 'text',
      community: 'text',
      account: 'text',
      protected: 'integer',
      present: 'integer',
    },
    key: ['platform', 'community', 'account'],
  },
  {
    name: 'gate_join_request',
    columns: {
      platform: 'text',
      community: 'text',
      account: 'text',
      locale: 'text',
      asked_at: 'integer',
    },
    key: ['platform', 'community', 'account'],
  },
  {
    name: 'gate_grant',
    columns: {
      platform: 'text',
      account: 'text',
      community: 'text',
      rule: 'text',
      holds: 'text',
      lacks: 'integer',
      first_lack_at: 'integer',
      last_lack_at: 'integer',
      warned_at: 'integer',
      due_at: 'integer',
      joined_at: 'integer',
    },
    key: ['platform', 'account', 'community', 'rule'],
  },
  {
    name: 'gate_run',
    columns: {
      seq: 'integer',
      id: 'text',
      platform: 'text',
      community: 'text',
      cause: 'text',
      by_account: 'text',
      started_at: 'integer',
      finished_at: 'integer',
      status: 'text',
      counts: 'text',
      undoes: 'text',
      confirmed_by: 'text',
      stopped_by: 'text',
    },
    key: ['seq'],
  },
  {
    name: 'gate_change',
    columns: {
      run: 'text',
      number: 'integer',
      platform: 'text',
      community: 'text',
      rule: 'text',
      account: 'text',
      step: 'text',
      status: 'text',
      reason: 'text',
      grant_id: 'text',
      held_before: 'text',
      restores: 'text',
      settled_at: 'integer',
    },
    key: ['run', 'number'],
  },
  {
    name: 'gate_audit',
    columns: {
      seq: 'integer',
      at: 'integer',
      platform: 'text',
      community: 'text',
      event: 'text',
      run: 'text',
      rule: 'text',
      account: 'text',
      by_account: 'text',
      detail: 'text',
    },
    key: ['seq'],
  },
  {
    name: 'role_connection',
    columns: {
      account: 'text',
      tokens: 'bytes',
      version: 'integer',
      connected_at: 'integer',
      checked_at: 'integer',
      told: 'integer',
      shown: 'text',
      fall: 'text',
    },
    key: ['account'],
  },
];
