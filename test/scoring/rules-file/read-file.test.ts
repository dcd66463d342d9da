import { expect, it } from 'vitest';
import { rulesReader } from '#scoring/rules-file/read-file';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { rulesText, workshop } from '../../support/scoring.ts';

it('The service reads the rules of titles without their lists, which requests would wait for', () => {
  const listed = 'discounts: [{id: known, list: ./known.csv, factor: 0}]\n';
  const text = rulesText([workshop], { more: listed });
  const rules = rulesReader(createWalletParser(chains))(text);
  expect(rules?.rules.map(({ id }) => id)).toEqual(['workshop']);
});
