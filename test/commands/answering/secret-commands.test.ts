import { describe, expect, it } from 'vitest';
import { commands } from '#commands/index';
import { answererWith } from '../../support/ask.ts';
import { ALICE } from '../../support/link-scene.ts';
import { linkingWith } from '../../support/linking.ts';

/** What a chat asks about the text behind a command before it's read. */
async function isWarnedOf(command: string, typed: string): Promise<boolean> {
  const linking = linkingWith();
  const answerer = answererWith({ commands, linksOf: (caller) => linking.of(caller) });
  const asker = { caller: ALICE, locale: 'en' };
  return (await answerer.secretIn(command, [typed], asker)) !== undefined;
}

describe('what stands behind a command', () => {
  it.each([
    'add tier:whale badge:"Early Adopter" chain:ethereum grace:2 days exclusive:yes hidden:yes match:any below:titan',
    'add nivel:ballena insignia:"Early Adopter" cadena:ethereum plazo:2 días exclusivo oculto',
    'tier whale badge Early Adopter chain ethereum match any hidden yes exclusive',
  ])('may be as many words as a seed phrase has: %s', async (typed) => {
    expect(await isWarnedOf('gate', typed)).toBe(false);
  });

  it.each([
    // A known list, with words that are options, too.
    'add whale orbit whale match list match match whale match whale match whale',
    // Some other one.
    'badem ceviz elma armut kiraz erik dut nar ayva incir limon karpuz',
    `add ${'badem '.repeat(12)}`,
  ])('is a phrase though: %s', async (typed) => {
    expect(await isWarnedOf('gate', typed)).toBe(true);
  });
});
