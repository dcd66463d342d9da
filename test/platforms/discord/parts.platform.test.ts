import { describe, expect, it } from 'vitest';
import { Recent } from '#base/bounded-map';
import { Claims } from '#cluster/claims';
import { MemoryWork } from '#cluster/memory-work';
import type { Card } from '#command/cards/card';
import { SignIns } from '#platforms/discord/gateway/sign-ins';
import { TIMINGS, waitAfter } from '#platforms/discord/gateway/timings';
import { redactingLog } from '#platforms/discord/logging';
import { renderEmbed } from '#platforms/discord/render/card';
import type { Line } from '../../support/discord/bot.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('sign-ins', () => {
  const claims = new Claims({
    replica: { work: new MemoryWork(), id: 'x' },
    patienceMs: TIMINGS.store,
    onAway: () => {},
  });

  it("may be consecutive if they're rare, and never use up a day's", () => {
    let now = 0;
    const signIns = new SignIns(TIMINGS, () => now, claims);
    expect(signIns.wait(0, 1)).toBe(0);
    let count = 0;
    while (now < DAY) {
      now += signIns.wait(0, 1);
      signIns.note(0, 1);
      now += 1;
      count += 1;
    }
    expect(count).toBeLessThan(600);
    now += 2 * 60 * MINUTE;
    expect(signIns.wait(0, 1)).toBe(0);
  });

  it('of shards that Discord counts together are five seconds apart', () => {
    const signIns = new SignIns(TIMINGS, () => 0, claims);
    signIns.note(0, 2);
    expect(signIns.wait(2, 2)).toBe(5_000);
    expect(signIns.wait(1, 2)).toBe(0);
  });
});

describe('delays after faults', () => {
  it('grow to five minutes', () => {
    expect(waitAfter(1, 0, TIMINGS, () => 1)).toBe(1_000);
    expect(waitAfter(4, 0, TIMINGS, () => 1)).toBe(8_000);
    expect(waitAfter(4, 0, TIMINGS, () => 0)).toBe(4_000);
    expect(waitAfter(1_000, 0, TIMINGS, () => 1)).toBe(5 * MINUTE);
  });

  it('after faults that people must fix grow to an hour, and are never shorter than requested', () => {
    expect(waitAfter(1, 5 * MINUTE, TIMINGS, () => 0)).toBe(5 * MINUTE);
    expect(waitAfter(9, 5 * MINUTE, TIMINGS, () => 0)).toBe(60 * MINUTE);
    expect(waitAfter(9, 5 * 60 * MINUTE, TIMINGS, () => 0)).toBe(5 * 60 * MINUTE);
  });
});

describe('a token', () => {
  it('is in no line, field, error or cause', () => {
    const lines: Line[] = [];
    const add = (fields: Line['fields'], message: string) =>
      void lines.push({ level: 'error', fields, message });
    const log = redactingLog({ debug: add, info: add, warn: add, error: add }, 'tok.en.value');
    const err = new Error('no tok.en.value', { cause: new TypeError('tok.en.value?') });
    log.error({ err, where: 'at tok.en.value', count: 3 }, 'bad tok.en.value');
    const [line] = lines;
    const shown = line?.fields.err as Error;
    expect(line?.message).toBe('bad [hidden]');
    expect(line?.fields).toMatchObject({ where: 'at [hidden]', count: 3 });
    expect(`${shown.message} ${shown.stack} ${shown.cause}`).not.toContain('tok.en.value');
    expect(String(shown.cause)).toBe('TypeError: [hidden]?');
  });
});

describe('a cached value', () => {
  it('expires', () => {
    let now = 0;
    const recent = new Recent<string>(60_000, 9, () => now);
    recent.set('a', 'x');
    now = 59_999;
    recent.set('b', 'y');
    expect([recent.get('a'), recent.get('b')]).toEqual(['x', 'y']);
    now = 60_000;
    expect([recent.get('a'), recent.get('b')]).toEqual([undefined, 'y']);
    recent.delete('b');
    expect(recent.get('b')).toBeUndefined();
  });

  it('is evicted by newer ones', () => {
    const recent = new Recent<number>(60_000, 2, () => 0);
    for (const [i, key] of ['a', 'b', 'a', 'c'].entries()) recent.set(key, i);
    expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([2, undefined, 3]);
  });
});

describe('an embed', () => {
  it("keeps the card's order", () => {
    expect(renderEmbed(example)).toMatchInlineSnapshot(`
      {
        "color": 7045104,
        "description": "\`0x12345678\`",
        "fields": [
          {
            "inline": true,
            "name": "Score",
            "value": "**7,420**",
          },
          {
            "inline": true,
            "name": "Rank",
            "value": "127 of 1,000 · top 13%",
          },
          {
            "inline": true,
            "name": "​",
            "value": "—",
          },
          {
            "name": "​",
            "value": "\`██████████░░░░░░\`
      1,580 points to 🔱 Titan

      **Early\\_Adopter**
      -# <t:1782900000:R>
      Voter
      \`\`\`
      🔱 Titan █░░░░░░░ 1 10%
      Shrimp   ███████░ 9 90%
      \`\`\`
      -# Page 1 of 2 · Data as of <t:1782907200:f>",
          },
        ],
        "title": "🐋 0x1234…5678 · Whale",
      }
    `);
  });

  it('without facts is one description', () => {
    const { description, fields } = renderEmbed({
      ...example,
      blocks: example.blocks.filter(({ kind }) => kind !== 'facts'),
    });
    expect(fields).toBeUndefined();
    expect(description).toMatch(/-# Page 1 of 2 · Data as of <t:1782907200:f>$/);
  });

  it('keeps a right-to-left name from reordering its row', () => {
    const { description = '' } = renderEmbed({
      ...example,
      footer: [],
      blocks: [
        {
          kind: 'table',
          columns: [{ align: 'left' }, { align: 'right' }],
          rows: [['שלום', '997']],
        },
      ],
    });
    expect(description).toContain('\u2068שלום\u2069 997');
  });

  it.each([
    { bold: 'שלום 42 עולם' },
    { italic: 'محمد 123 علي' },
    { link: 'שלום', url: 'https://example.org/' },
    'محمد',
  ])('keeps a right-to-left name from reordering its line: %j', (name) => {
    const spans = [name, ' · 2,997'];
    const { description = '' } = renderEmbed({
      ...example,
      footer: [],
      blocks: [{ kind: 'text', spans }],
    });
    const text = Object.values(typeof name === 'string' ? [name] : name)[0];
    expect(description).toContain(`\u2068${text}\u2069`);
  });

  it('that is truncated says so', () => {
    const rows = Array.from({ length: 500 }, (_, i) => [`row ${i}`, 'x'.repeat(20)]);
    const { description = '' } = renderEmbed({
      ...example,
      blocks: [{ kind: 'table', columns: [{ align: 'left' }, { align: 'left' }], rows }],
    });
    expect(description).toMatch(/```\n…\n\n-# /);
    expect(description.match(/```/g)).toHaveLength(2);
  });

  it('draws a bar as full or empty only if it is', () => {
    const bar = (fraction: number) =>
      renderEmbed({ ...example, footer: [], blocks: [{ kind: 'progress', fraction, spans: [] }] })
        .description;
    expect(bar(0)).toBe('`░░░░░░░░░░░░░░░░`');
    expect(bar(0.001)).toBe('`█░░░░░░░░░░░░░░░`');
    expect(bar(0.999)).toBe('`███████████████░`');
    expect(bar(1)).toBe('`████████████████`');
    expect(bar(Number.NaN)).toBe('`░░░░░░░░░░░░░░░░`');
  });
});

const example: Card = {
  tone: 'Whale',
  title: '0x1234…5678 · Whale',
  blocks: [
    { kind: 'text', spans: [{ code: '0x12345678' }] },
    {
      kind: 'facts',
      facts: [
        { label: 'Score', value: [{ bold: '7,420' }] },
        { label: 'Rank', value: ['127 of 1,000 · top 13%'] },
        { label: '', value: [] },
      ],
    },
    { kind: 'progress', fraction: 0.6, spans: ['1,580 points to 🔱 Titan'] },
    {
      kind: 'entries',
      entries: [
        {
          title: [{ bold: 'Early_Adopter' }],
          detail: [{ time: 1_782_900_000, style: 'relative' }],
        },
        { title: ['Voter'], detail: [] },
      ],
    },
    {
      kind: 'bars',
      bars: [
        { label: '🔱 Titan', fraction: 0.1, count: '1', share: '10%' },
        { label: 'Shrimp', fraction: 0.9, count: '9', share: '90%' },
      ],
    },
  ],
  actions: [],
  menu: undefined,
  footer: ['Page 1 of 2 · Data as of ', { time: 1_782_907_200, style: 'clock' }],
  private: false,
};
