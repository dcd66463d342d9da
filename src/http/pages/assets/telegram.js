import { fileLink, link, make, picture } from './dom.js';
import { clock, telegramForm, timeElement } from './time.js';

/** Elements by entity type; any other type, such as a mention, is drawn like a link. */
const TAGS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  spoiler: 'span',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
};

const BLOCKS = /^(?:pre|(?:expandable_)?blockquote)$/;

/**
 * Draws a message of Telegram's Bot API the way its app does.
 * @param message the payload
 * @param {{asked: string, file?: {name: string, text: string}, alt?: string, words: Record<string, string>,
 * press: (code: string) => void}} context
 */
export function drawTelegram(message, { asked, file, alt, words, press }) {
  const { text, entities = [], link_preview_options: preview, reply_markup: markup } = message;
  const rows = markup?.inline_keyboard ?? [];
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return [
    asked !== '' && make('div', { class: 't-bubble t-mine' }, asked, stamp()),
    make(
      'div',
      { class: 't-message' },
      make(
        'div',
        { class: 't-bubble' },
        preview?.url && picture(preview.url, alt, 't-picture'),
        ...formatted(text, sorted, 0, text.length),
        stamp(),
      ),
      ...rows.map((row) =>
        make('div', { class: 't-row' }, ...row.map((button) => drawButton(button, words, press))),
      ),
    ),
    // The file follows in a separate message.
    file &&
      make(
        'div',
        { class: 't-message' },
        make('div', { class: 't-bubble' }, fileLink(file, {}), stamp()),
      ),
  ].filter(Boolean);
}

/**
 * The nodes of part of a text.
 * @param entities those within the part, outer ones before inner ones; offsets count UTF-16 units, as strings
 * do
 */
function formatted(text, entities, from, to) {
  const nodes = [];
  let at = from;
  for (let i = 0; i < entities.length; ) {
    const entity = entities[i];
    const end = Math.min(to, entity.offset + entity.length);
    let next = i + 1;
    while (next < entities.length && entities[next].offset < end) next += 1;
    if (entity.offset > at) nodes.push(text.slice(at, entity.offset));
    const inner = formatted(text, entities.slice(i + 1, next), entity.offset, end);
    nodes.push(drawEntity(entity, inner));
    // A block has its own lines, so the line break after it isn't another line.
    at = BLOCKS.test(entity.type) && text[end] === '\n' ? end + 1 : end;
    i = next;
  }
  if (at < to) nodes.push(text.slice(at, to));
  return nodes;
}

function drawEntity(entity, inner) {
  const form = entity.type === 'date_time' ? telegramForm(entity.date_time_format) : undefined;
  if (form !== undefined) return timeElement(entity.unix_time, form);
  if (entity.type === 'text_link') return link(entity.url, {}, ...inner);
  const tag = TAGS[entity.type];
  return tag === undefined ? make('span', { class: 't-link' }, ...inner) : make(tag, {}, ...inner);
}

function drawButton({ text, callback_data: code, url }, words, press) {
  if (url !== undefined)
    return link(url, { class: 't-button t-out', title: words.opensPage }, text);
  // Buttons of other kinds only work in the app.
  const attributes = { type: 'button', class: 't-button', disabled: code === undefined };
  return make('button', { ...attributes, onclick: () => press(code) }, text);
}

function stamp() {
  return make('span', { class: 't-time' }, clock());
}
