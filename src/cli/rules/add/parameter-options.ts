/** Every parameter that some template has, in groups. They're listed here, since help must not read files. */
export const PARAMETER_GROUPS = [
  [
    'contract',
    'token',
    'collection',
    'pair',
    'registrar',
    'wrapper',
    'eas',
    'poap',
    'space',
    'program',
  ],
  [
    'prefix',
    'app',
    'asset',
    'event',
    'schema',
    'attester',
    'donor',
    'amount',
    'token-argument',
    'per',
  ],
  [
    'plus',
    'plus-wallet',
    'plus-amount',
    'minus',
    'minus-wallet',
    'minus-amount',
    'min',
    'decimals',
  ],
  ['since', 'points', 'vote-points', 'proposal-points', 'cap', 'proposal-cap', 'most'],
] as const;

/** The same as options. */
export const PARAMETER_OPTIONS = PARAMETER_GROUPS.flat();
