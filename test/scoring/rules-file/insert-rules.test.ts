import { expect, it } from 'vitest';
import { insertRules } from '#scoring/rules-file/edit-text';

const ADDED = '# Guests.\n- id: guests\n  on: {import: came}\n';
const SOURCE = { id: 'gno', text: '{chain: "eip155:100", rpc: [GNO]}' };

it.each([
  [
    'after comments of the last rule, before those of what follows',
    'rules:\n  # first\n  - id: a\n    on: {import: x} # why\n  # of a\n# of badges\nbadges: []\n',
    'rules:\n  # first\n  - id: a\n    on: {import: x} # why\n  # of a\n  # Guests.\n  - id: guests\n    on: {import: came}\n# of badges\nbadges: []\n',
  ],
  [
    'to a list without indentation that ends the file without a line break',
    'rules:\n- id: a\n  on: {import: x}',
    'rules:\n- id: a\n  on: {import: x}\n# Guests.\n- id: guests\n  on: {import: came}\n',
  ],
  [
    'to an empty list',
    'rules: [] # none yet\nname: a\n',
    'rules: # none yet\n  # Guests.\n  - id: guests\n    on: {import: came}\nname: a\n',
  ],
  ['to no list', 'rules:\n', 'rules:\n  # Guests.\n  - id: guests\n    on: {import: came}\n'],
  [
    'to a file of Windows',
    'rules:\r\n  - id: a\r\n    on: b\r\n',
    'rules:\r\n  - id: a\r\n    on: b\r\n  # Guests.\r\n  - id: guests\r\n    on: {import: came}\r\n',
  ],
  [
    'to a file without rules',
    'name: a',
    'name: a\nrules:\n  # Guests.\n  - id: guests\n    on: {import: came}\n',
  ],
])('Rules are added %s', (_, before, after) => {
  expect(insertRules(before, ADDED, undefined)).toBe(after);
});

it.each([
  [
    'at the end of a block',
    'sources:\n  eth: {chain: "eip155:1", rpc: [A]} # main\n\nrules: []\n',
    'sources:\n  eth: {chain: "eip155:1", rpc: [A]} # main\n  gno: {chain: "eip155:100", rpc: [GNO]}\n\nrules:\n',
  ],
  [
    'in a line',
    'sources: {eth: {chain: "eip155:1", rpc: [A]}}\nrules: []\n',
    'sources: {gno: {chain: "eip155:100", rpc: [GNO]}, eth: {chain: "eip155:1", rpc: [A]}}\nrules:\n',
  ],
  [
    'before the rules if there are none',
    'name: a\nrules: []\n',
    'name: a\nsources:\n  gno: {chain: "eip155:100", rpc: [GNO]}\nrules:\n',
  ],
])('A source is added %s', (_, before, after) => {
  expect(insertRules(before, ADDED, SOURCE)).toBe(
    `${after}  # Guests.\n  - id: guests\n    on: {import: came}\n`,
  );
});

it('A file that is written some other way is left to its author', () => {
  expect(() => insertRules('rules: [{id: a}]\n', ADDED, undefined)).toThrow('rules" is written as');
  expect(() => insertRules('rules: &all\n  - id: a\n', ADDED, undefined)).toThrow('Anchors');
  expect(() => insertRules('rules:\n  - id: a\n   b', ADDED, undefined)).toThrow('3:1');
});
