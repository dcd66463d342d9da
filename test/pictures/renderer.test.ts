import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { outlined } from '#pictures/render/draw';
import { Renderer, type RendererOptions } from '#pictures/render/renderer';
import { silentLog } from '../support/log.ts';
import { rankCard } from '../support/rank-card.ts';

const THREAD = new URL('../support/hanging-thread.ts', import.meta.url);

function rendererWith(options: Partial<RendererOptions> = {}): Renderer {
  const renderer = new Renderer({ log: silentLog, thread: THREAD, ...options });
  onTestFinished(() => renderer.close());
  return renderer;
}

function named(name: string) {
  return { kind: 'badge', badge: { id: 'a', name, tier: 'Rare', imageUrl: '' } } as const;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

// Deadlines only pass when a test says so: a busy machine may take seconds to start a thread.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('the thread that draws', () => {
  it('draws a card as PNG and as SVG without scripts, fonts or outside references', async () => {
    const renderer = new Renderer({ log: silentLog });
    onTestFinished(() => renderer.close());
    const look = { language: 'en', theme: 'dark' } as const;
    const job = { kind: 'card', card: rankCard(), look, pngs: new Map() } as const;
    const png = Buffer.from(await renderer.render({ ...job, format: 'png' }));
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
    const svg = textOf(await renderer.render({ ...job, format: 'svg' }));
    const [alt] = textsFor('en')
      .picture.alt('Marina (0xB7FF…1819)', 'Whale', '7,190', '|')
      .split('|');
    expect(svg).toContain(`<title>${alt}`);
    expect(svg).not.toMatch(/<(?:text|script|style|foreignObject)\b|font-family|@import/);
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|\son\w+=/);
  });

  it('starts with the first picture and ends when there is no more to do', async () => {
    const renderer = rendererWith();
    expect(renderer.threadId).toBeUndefined();
    expect(textOf(await renderer.render(named('one')))).toBe('one');
    expect(renderer.threadId).toBeDefined();
    vi.advanceTimersByTime(60_000);
    expect(renderer.threadId).toBeUndefined();
    expect(textOf(await renderer.render(named('two')))).toBe('two');
  });

  it('refuses more than may wait', async () => {
    const renderer = rendererWith({ mostWaiting: 2 });
    const first = renderer.render(named('hangs'));
    const waiting = [renderer.render(named('one')), renderer.render(named('two'))];
    await expect(renderer.render(named('three'))).rejects.toBeInstanceOf(RetryableError);
    const refused = Promise.allSettled([first, ...waiting]);
    await renderer.close();
    for (const each of await refused) expect(each.status).toBe('rejected');
  });

  it.each(['hangs', 'dies', 'throws'])('is replaced where a picture %s', async (name) => {
    const renderer = rendererWith();
    const lost = renderer.render(named(name));
    const next = renderer.render(named('next'));
    if (name === 'hangs') vi.advanceTimersByTime(5_000);
    await expect(lost).rejects.toBeInstanceOf(RetryableError);
    expect(textOf(await next)).toBe('next');
  });

  it('is logged once, however many pictures it dies of', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, error: (_: object, message: string) => lines.push(message) };
    const renderer = rendererWith({ log });
    const died = async () => await expect(renderer.render(named('dies'))).rejects.toThrow();
    await died();
    await died();
    expect(lines).toHaveLength(1);
    await renderer.render(named('one'));
    await died();
    expect(lines).toHaveLength(2);
  });

  it('reports a picture that cannot be drawn as a bug, and goes on', async () => {
    const renderer = rendererWith();
    await expect(renderer.render(named('refuses'))).rejects.toThrow('no such font');
    expect(textOf(await renderer.render(named('one')))).toBe('one');
  });
});

describe('what the fonts have', () => {
  it.each(['クジラ', '고래', 'שלום', 'سلام', '🐋', 'Наталья'])('%s is drawn, not boxed', (name) => {
    const outlineOf = (text: string) =>
      outlined(
        `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="80"><text y="60" font-family="Inter" font-size="40">${text}</text></svg>`,
      );
    expect(outlineOf(name)).toContain('<path');
    // A missing glyph always has the same box.
    expect(outlineOf(name)).not.toBe(outlineOf('\u{13000}'.repeat([...name].length)));
  });
});
