import { hash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { applyRules, undoRules } from '#scoring/rules-file/apply';
import { Evaluation } from '#scoring/score-versions/evaluation';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openQuietly } from '../../support/filled-store.ts';
import { validRules } from '../../support/rules.ts';
import { rulesText } from '../../support/scoring.ts';

const rule = (points: number) =>
  `{id: a, on: {import: done}, give: {type: done, points: ${points}}}`;

function candidate(points: number, version: number) {
  const text = rulesText([rule(points)], { version });
  const { rules, hash: sum } = validRules(text);
  const kept = { name: rules.name, version, hash: sum, text, lists: {} };
  return { evaluation: new Evaluation(rules, (each) => hash('sha256', each)), kept };
}

async function opened() {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  const options = { store: store.scoring, signal: new AbortController().signal };
  const live = async () => (await store.scoring.live())?.version;
  return {
    live,
    apply: async (points: number, version: number) =>
      (await applyRules(candidate(points, version), options))?.version,
    undo: async () => (await undoRules(options, createWalletParser(chains))).version,
  };
}

it('Applying rules keeps the meaning of a version number once used', async () => {
  const { apply, live, undo } = await opened();
  expect(await apply(5, 2)).toBe(2);
  expect(await apply(5, 2)).toBeUndefined();
  await expect(apply(6, 2)).rejects.toThrow(
    'applied with different content. Give these rules version 3.',
  );
  await expect(apply(6, 1)).rejects.toThrow('behind version 2, which was applied before. Give');
  expect(await apply(6, 3)).toBe(3);
  expect(await undo()).toBe(2);
  // After an undo, too.
  await expect(apply(7, 3)).rejects.toThrow('Give these rules version 4.');
  expect(await apply(6, 3)).toBe(3);
  expect(await live()).toBe(3);
});

it('Undoing rules goes back step by step, skipping what was undone', async () => {
  const { apply, live, undo } = await opened();
  await expect(undo()).rejects.toThrow('No rules are live');
  await apply(1, 1);
  await expect(undo()).rejects.toThrow('nothing to go back to');
  await apply(2, 2);
  await apply(3, 3);
  expect(await undo()).toBe(2);
  expect(await undo()).toBe(1);
  await expect(undo()).rejects.toThrow('nothing to go back to');
  await apply(4, 4);
  expect(await undo()).toBe(1);
  expect(await live()).toBe(1);
});
