import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCall } from '#command/call-code';
import type { Card, CardPicture } from '#command/cards/card';
import { commands } from '#commands/index';
import { renderCard, renderPlainly } from '#platforms/discord/render/card';
import { codeOf, decodeForm, isFormCode } from '#platforms/discord/render/components';
import type { CardAttachments } from '#platforms/discord/render/container';
import { uploadOf } from '#platforms/discord/render/file';
import { faultsOfMessage } from '../../../bench/servers/discord/rules.ts';
import { faultsBySpec } from '../../../bench/servers/discord/spec.ts';
import { CALLER } from '../../support/ask.ts';
import { anyCard } from '../../support/discord/any-card.ts';
import { partsOf } from '../../support/discord/read.ts';
import { EFFORT } from '../../support/random.ts';

const EDIT = '/webhooks/{webhook_id}/{webhook_token}/messages/@original';

function render(card: Card, shown?: CardAttachments, renderer = renderCard) {
  const bugs: unknown[] = [];
  const context = { commands, owner: CALLER, onBug: (bug: unknown) => bugs.push(bug) };
  const body = renderer(card, context, shown);
  return { body, bugs };
}

const anyPicture: fc.Arbitrary<CardPicture> = fc.record({
  png: fc.constant(new Uint8Array(1)),
  url: fc.option(fc.constant('https://rep.example.org/card/x.png'), { nil: undefined }),
  alt: fc.string({ maxLength: 500 }),
});

/** What goes out with a card: a picture, a file or neither. */
const anyShown: fc.Arbitrary<CardAttachments> = fc.oneof(
  fc.record({ picture: anyPicture }),
  fc.record({ fileName: fc.constant('preview.csv') }),
  fc.constant({}),
);

/** Names of the files that it uploads. */
function namesOf({ picture, fileName }: CardAttachments): string[] {
  if (fileName !== undefined) return [fileName];
  return picture === undefined || picture.url !== undefined ? [] : ['rank-card.png'];
}

describe('whatever a card contains', () => {
  it('Discord accepts it', () => {
    fc.assert(
      fc.property(anyCard, anyShown, (card, shown) => {
        const { body } = render(card, shown);
        expect(faultsOfMessage({ ...body }, namesOf(shown))).toEqual([]);
        expect(faultsBySpec('PATCH', EDIT, undefined, JSON.parse(JSON.stringify(body)))).toEqual(
          [],
        );
      }),
      { numRuns: EFFORT === 1 ? 20 : 60 * EFFORT },
    );
  });

  it('Discord accepts it as an embed, where it refuses the components', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const { body } = render(card, {}, renderPlainly);
        expect(faultsOfMessage({ ...body })).toEqual([]);
        expect(faultsBySpec('PATCH', EDIT, undefined, JSON.parse(JSON.stringify(body)))).toEqual(
          [],
        );
      }),
    );
  });

  it('its file is valid for Discord, or a bug', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        let upload: ReturnType<typeof uploadOf>;
        try {
          upload = uploadOf(card);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        expect(upload?.name).toBe(card.file?.name);
        expect(upload?.data.toString().length).toBe(card.file?.text.length);
      }),
    );
  });

  it('its forms lead where they should', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const { body } = render({ ...card, menu: undefined });
        const ids = partsOf(body).flatMap(({ custom_id }) => custom_id ?? []);
        for (const id of ids.map(codeOf).filter(isFormCode)) {
          expect(decodeForm(id, commands)).toMatchObject({
            option: { name: 'key' },
            call: { command: 'apikey' },
          });
        }
      }),
    );
  });

  it('its buttons lead where they should', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.nat(4), (page, others) => {
        const call = { command: 'top', args: { page: String(page) } };
        const actions = [Array.from({ length: others + 1 }, () => ({ label: 'go', call }))];
        const { body, bugs } = render({ ...plain, actions });
        expect(bugs).toEqual([]);
        const ids = partsOf(body).flatMap(({ custom_id }) => custom_id ?? []);
        expect(new Set(ids).size).toBe(others + 1);
        for (const id of ids) expect(decodeCall(codeOf(id), commands)?.call).toEqual(call);
      }),
    );
  });
});

it.each(Array.from({ length: 12 }, (_, i) => 3_560 + 30 * i))(
  'a list behind %i letters ends with a whole entry, and says if more follow',
  (length) => {
    const before = {
      kind: 'text',
      spans: Array.from({ length: length / 10 }, () => 'W'.repeat(10)),
    };
    const time = { time: 1_790_000_000, style: 'relative' } as const;
    const entry = {
      title: ['Whales ', 'W'.repeat(97)],
      detail: ['since ', time, ' · ', { member: '200000000000000001' }, ' · x'],
    };
    const list = { kind: 'entries', entries: [entry, entry] } as const;
    const blocks = [before, { kind: 'heading', text: 'Barred' }, list] as const;
    const { body } = render({ ...plain, blocks: blocks as Card['blocks'] });
    const lines = partsOf(body).flatMap(({ content }) => content?.split('\n') ?? []);
    const titles = lines.filter((line) => line.startsWith('Whales'));
    const details = lines.filter((line) => line.startsWith('-# '));
    expect(details).toEqual(
      titles.map(() => '-# since <t:1790000000:R> · <@200000000000000001> · x'),
    );
    expect(lines.includes('…')).toBe(titles.length < 2);
  },
);

describe('an impossible button', () => {
  it.each([
    ['a command that is none', { label: 'x', call: { command: 'nothing', args: {} } }, 1],
    [
      'a call that is too long',
      { label: 'x', call: { command: 'apikey', args: { key: 'k'.repeat(100) } } },
      1,
    ],
    ['a link to a script', { label: 'x', url: 'javascript:alert(1)' }, 0],
  ])('is omitted: %s', (_, action, bugs) => {
    const rendered = render({ ...plain, actions: [[action]] });
    expect(partsOf(rendered.body).filter(({ type }) => type === 1)).toEqual([]);
    expect(rendered.bugs).toHaveLength(bugs);
  });
});

const plain = {
  tone: 'plain',
  title: 'A card',
  blocks: [],
  actions: [],
  menu: undefined,
  footer: [],
  private: false,
} as const;
