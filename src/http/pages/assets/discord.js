import { drawLayout } from './discord-layout.js';
import { drawRow } from './discord-parts.js';
import { fileLink, fill, make, picture } from './dom.js';
import { inline, markdown } from './markdown.js';
import { clock } from './time.js';

/** The flag of a message that only one user can see. */
const EPHEMERAL = 64;
/** Flag of a message that consists of components. */
const LAYOUT = 1 << 15;

/**
 * Draws a message of Discord's API the way its app does.
 * @param message the payload
 * @param {{asked: string, file?: {name: string, text: string}, alt?: string, words: Record<string, string>,
 * press: (code: string) => void}} context
 */
export function drawDiscord(message, { asked, file, alt, words, press }) {
  const [command = ''] = asked.split(' ');
  const isLayout = (message.flags & LAYOUT) !== 0;
  return [
    asked !== '' && make('p', { class: 'd-used' }, fill(words.used, command)),
    make(
      'div',
      { class: 'd-message' },
      make('img', { class: 'd-face', src: '/playground/icon.svg', alt: '', width: 40, height: 40 }),
      make(
        'p',
        { class: 'd-who' },
        make('strong', {}, 'Fathom'),
        make('span', { class: 'd-app' }, 'APP'),
        make('span', { class: 'd-time' }, clock()),
      ),
      ...(isLayout
        ? message.components.map((part) => drawLayout(part, { file, words, press }))
        : drawEmbeds(message, { file, alt, words, press })),
      (message.flags & EPHEMERAL) !== 0 && make('p', { class: 'd-only' }, words.onlyYou),
    ),
  ].filter(Boolean);
}

/** What stands beside embeds, and the embeds. */
function drawEmbeds({ content, embeds = [], components = [] }, { file, alt, words, press }) {
  return [
    content && make('div', { class: 'd-text' }, ...markdown(content)),
    file && fileLink(file, { class: 'd-embed d-file' }),
    ...embeds.map((embed) => drawEmbed(embed, alt)),
    ...components.map((row) => drawRow(row, words, press)),
  ];
}

function drawEmbed(embed, alt) {
  const { title, description, fields = [], footer, timestamp, image } = embed;
  const small = [
    footer?.text,
    timestamp && new Date(timestamp).toLocaleString(document.documentElement.lang),
  ];
  const element = make(
    'article',
    { class: 'd-embed' },
    title && make('h3', {}, ...inline(title)),
    description && make('div', { class: 'd-text' }, ...markdown(description)),
    fields.length > 0 && make('div', { class: 'd-fields' }, ...fields.map(drawField)),
    image && picture(image.url, alt, 'd-picture'),
    small.some(Boolean) && make('footer', {}, small.filter(Boolean).join(' • ')),
  );
  if (embed.color !== undefined) {
    const colour = `#${embed.color.toString(16).padStart(6, '0')}`;
    element.style.setProperty('--bar', colour);
  }
  return element;
}

function drawField({ name, value, inline: besides }) {
  return make(
    'div',
    { class: besides ? 'd-field' : 'd-field d-whole' },
    make('h4', {}, ...inline(name)),
    make('div', { class: 'd-text' }, ...markdown(value)),
  );
}
