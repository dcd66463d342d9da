import { expect, it } from 'vitest';
import { answererWith, ask } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, fixedWallets, NOW, WHALE } from '../support/fixed-source.ts';

const wallet = WHALE.address;

it.each([
  ['rep', { wallet }],
  ['badges', { wallet }],
  ['activity', { wallet }],
  ['top', {}],
  ['stats', {}],
] as const)('/%s says that its figures are old, since when and why', async (command, args) => {
  const source = new FixedSource(fixedWallets());
  const answerer = answererWith({ source });
  expect(cardText(await ask(answerer, command, args))).not.toContain('not answering');
  source.isStale = true;
  source.ageSeconds = 3600;
  const card = await ask(answerer, command, args);
  expect(card.footer).toContainEqual({ time: NOW - 3600, style: 'clock' });
  expect(cardText(card)).toContain('the source is not answering');
  expect(cardText(await ask(answerer, command, args, 'es'))).toContain('la fuente no responde');
});
