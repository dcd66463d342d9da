import { describe, expect, it } from 'vitest';
import type { CardPicture } from '#command/cards/card';
import type { Shown } from '../../../bench/servers/discord/interaction.ts';
import { answererWith } from '../../support/ask.ts';
import { testBot } from '../../support/discord/bot.ts';
import { buttonOf, partsOf, textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';
import { WHALE } from '../../support/fixed-source.ts';

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]);
const UPLOADED: CardPicture = { png: PNG, url: undefined, alt: 'Rank card of vera.eth: Whale' };
const FETCHED = { ...UPLOADED, url: `https://rep.example.org/card/${WHALE.address}/abc.png` };

async function withPicture(draw: () => Promise<CardPicture | undefined>) {
  const bot = await testBot();
  const outcomes: string[] = [];
  const hooks = { onCommand: (_: string, outcome: string) => void outcomes.push(outcome) };
  await bot.up({ answerer: answererWith({ pictureOf: () => draw }), hooks });
  const ask = () => bot.discord.command('rep', { wallet: WHALE.address });
  return { ...bot, ask, outcomes };
}

const GALLERY = 12;

/** The only picture in a message's gallery. */
function imageOf(shown: Shown | undefined) {
  const gallery = partsOf(shown?.body ?? {}).find(({ type }) => type === GALLERY);
  return gallery?.items?.[0];
}

describe("a wallet's rank card", () => {
  it('is an image that Discord fetches', async () => {
    const { ask } = await withPicture(async () => FETCHED);
    const asked = ask();
    await eventually(() => asked.seen.length > 0);
    const { url, alt } = FETCHED;
    expect(imageOf(asked.seen[0])).toEqual({ media: { url }, description: alt });
    expect(asked.seen[0]?.files).toEqual([]);
    expect(textOf(asked.seen[0])).toContain('7,420');
  });

  it('is attached with its words where Discord cannot fetch it', async () => {
    const { ask, discord } = await withPicture(async () => UPLOADED);
    const asked = ask();
    await eventually(() => asked.seen.length > 0);
    const shown = asked.seen[0]!;
    const media = { url: 'attachment://rank-card.png' };
    expect(imageOf(shown)).toEqual({ media, description: UPLOADED.alt });
    expect(shown.body.attachments).toMatchObject([{ description: UPLOADED.alt }]);
    expect(shown.files.map(({ name }) => name)).toEqual(['rank-card.png']);
    // Another card removes it.
    const other = discord.press(shown, buttonOf(shown, 'Badges'));
    await eventually(() => other.edits > 0);
    expect(shown.files).toEqual([]);
    expect(imageOf(shown)).toBeUndefined();
  });

  it('is left out where Discord rejects it', async () => {
    const { ask, discord, outcomes } = await withPicture(async () => UPLOADED);
    discord.rest.upset('edit', { status: 403, body: { code: 50013, message: 'no' } });
    const asked = ask();
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['answered']);
    expect(asked.seen[0]?.files).toEqual([]);
    expect(imageOf(asked.seen[0])).toBeUndefined();
    expect(textOf(asked.seen[0])).toContain('7,420');
  });

  it('delays no acknowledgement, and the card goes alone if it is not ready', async () => {
    const drawn = Promise.withResolvers<CardPicture | undefined>();
    const { ask } = await withPicture(() => drawn.promise);
    const asked = ask();
    await eventually(() => asked.original !== undefined);
    expect(asked.seen).toEqual([]);
    drawn.resolve(undefined);
    await eventually(() => asked.seen.length > 0);
    expect(imageOf(asked.seen[0])).toBeUndefined();
  });
});
