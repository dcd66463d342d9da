import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { extremesOf } from '#pictures/render/draw';
import { BADGE_SIZE } from '#pictures/shown/pictures';
import { readImageHeader } from '#pictures/untrusted/reencode';
import type { Shown } from '../bench/servers/discord/interaction.ts';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { answered } from './support/discord/answered.ts';
import { partsOf } from './support/discord/read.ts';
import { workplace } from './support/import-cli.ts';
import { addressOf, badgeLine } from './support/import-lines.ts';
import { patienceMs } from './support/patience.ts';
import { servePictures } from './support/picture-server.ts';
import { serveHere } from './support/serve-here.ts';

const ORIGIN = 'https://rep.example.org';
const WALLET = addressOf('ethereum', 1);
const TEAL = 0x008080;
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9h-9z" fill="teal"/></svg>';

/** What the picture server sends, by path. */
const PICTURES: Readonly<
  Record<string, (response: ServerResponse, request: IncomingMessage) => void>
> = {
  good: (response) => void response.end(SVG),
  script: (response) => void response.end(SVG.replace('<path', '<script/><path')),
  large: (response) => void response.end(Buffer.alloc(2_000_001)),
  inside: (response, { socket }) =>
    void response
      .writeHead(302, { location: `http://127.0.0.2:${socket.localPort}/secret.svg` })
      .end(),
  gone: (response) => void response.writeHead(404).end(),
};

/** A section's thumbnail. */
interface Section {
  readonly type: number;
  readonly accessory?: { readonly media: { readonly url: string } };
}

function thumbnailsOf(shown: Shown | undefined): string[] {
  const parts = partsOf(shown?.body ?? {}) as readonly Section[];
  return parts.flatMap(({ accessory }) => (accessory === undefined ? [] : [accessory.media.url]));
}

it("a badge's picture gets from where its operator keeps it onto Discord's card, re-encoded", {
  timeout: patienceMs(120_000),
}, async () => {
  const asked: string[] = [];
  const pictures = await servePictures((request, response) => {
    const name = String(request.url?.slice(1));
    asked.push(name);
    PICTURES[name]?.(response, request);
  });
  const names = Object.keys(PICTURES);
  const badges = names.map((name, i) => ({
    ...badgeLine(i),
    id: name,
    imageUrl: new URL(`/${name}`, pictures).href,
  }));
  const activities = names.map((badge) => ({
    ...{ kind: 'activity', address: WALLET, type: 'badge_earned', badge },
    ...{ description: badge, points: 5, timestamp: '2026-01-01T00:00:00Z' },
  }));
  const place = workplace({
    'data.ndjson': [...badges, ...activities].map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(await place.runHere(['import', 'data.ndjson'])).toMatchObject({ code: 0 });

  const discord = new DiscordStandIn();
  await discord.open();
  const service = await serveHere({
    ...place.env,
    PUBLIC_URL: ORIGIN,
    PRIVATE_NETWORKS: '127.0.0.1/32',
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
  });
  try {
    const { seen } = await answered(() => discord.command('badges', { wallet: WALLET }));
    const urls = thumbnailsOf(seen[0]);
    expect(urls).toHaveLength(names.length);
    for (const name of names) {
      const url = urls.find((each) => each.includes(name)) ?? '';
      expect(url.startsWith(`${ORIGIN}/badge-picture/`)).toBe(true);
      // As Discord's media proxy fetches it; on a busy machine its initials may come first.
      const picture = async () => await fetch(url.replace(ORIGIN, service.url));
      const isItsOwn = async () => {
        let answer = await picture();
        await vi.waitUntil(
          async () => {
            // Drawing has a deadline of its own, which says to try again.
            if (answer.status === 503) answer = await picture();
            return answer.status !== 503;
          },
          { timeout: patienceMs(), interval: 200 },
        );
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
        const png = new Uint8Array(await answer.arrayBuffer());
        expect(readImageHeader(Buffer.from(png))).toEqual({ type: 'png', ...BADGE_SIZE });
        const { brightest, darkest } = extremesOf(png);
        return brightest === TEAL && darkest === TEAL;
      };
      if (name === 'good') {
        await vi.waitUntil(isItsOwn, { timeout: patienceMs(), interval: 50 });
      } else expect([name, await isItsOwn()]).toEqual([name, false]);
    }
    // Each once, however it ended.
    expect(asked).toHaveLength(names.length);
    expect(new Set(asked)).toEqual(new Set(names));
    await service.stop();
  } finally {
    await service.stop();
    await discord.close();
  }
  expect(discord.faults).toEqual([]);
});
