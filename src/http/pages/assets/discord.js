import { fileLink, fill, link, make, picture } from './dom.js';
import { inline, markdown } from './markdown.js';
import { clock } from './time.js';

/** The flag of a message that only one user can see. */
const EPHEMERAL = 64;
/** Flag of a message that consists of components. */
const LAYOUT = 1 << 15;
/** Kinds of components: https://discord.com/developers/docs/components/reference */
const ROW = 1;
const BUTTON = 2;
const MENU = 3;
const SECTION = 9;
const TEXT = 10;
const GALLERY = 12;
const FILE = 13;
const SEPARATOR = 14;
const CONTAINER = 17;
/** A button that opens a page. */
const LINK_STYLE = 5;

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

/**
 * Draws a component of a message that consists of components.
 * @param {{file?: {name: string, text: string}, words: Record<string, string>,
 *   press: (code: string) => void}} context
 */
function drawLayout(part, context) {
  switch (part.type) {
    case CONTAINER:
      return drawContainer(part, context);
    case SECTION:
      return drawSection(part, context);
    case TEXT:
      return make('div', { class: 'd-text' }, ...markdown(part.content));
    case GALLERY:
      return make('div', { class: 'd-gallery' }, ...part.items.map(drawItem));
    case FILE:
      return context.file && fileLink(context.file, { class: 'd-file' });
    case SEPARATOR:
      return make('hr', { class: part.divider === false ? 'd-gap' : '' });
    case ROW:
      return drawRow(part, context.words, context.press);
    default:
      return undefined;
  }
}

function drawContainer({ accent_color: accent, components }, context) {
  const parts = components.map((each) => drawLayout(each, context));
  const element = make('article', { class: 'd-embed d-container' }, ...parts);
  if (typeof accent === 'number') {
    element.style.setProperty('--bar', `#${accent.toString(16).padStart(6, '0')}`);
  }
  return element;
}

/** Texts beside a small picture, which says nothing more. */
function drawSection({ components, accessory }, context) {
  const texts = components.map((each) => drawLayout(each, context));
  const url = accessory?.media?.url;
  return make(
    'div',
    { class: 'd-section' },
    make('div', {}, ...texts),
    url !== undefined &&
      make('img', { class: 'd-thumbnail', src: url, alt: '', width: 85, height: 85 }),
  );
}

function drawItem({ media, description = '' }) {
  return picture(media.url, description, 'd-picture');
}

/** A row of buttons, or with a menu. */
function drawRow({ components }, words, press) {
  return make(
    'div',
    { class: 'd-row' },
    ...components.map((each) => drawComponent(each, words, press)),
  );
}

function drawComponent(component, words, press) {
  if (component.type === MENU) return drawMenu(component, press);
  if (component.type !== BUTTON) return undefined;
  const { label = '', style, url, disabled, custom_id: code } = component;
  const kind = `d-button d-style${style}`;
  if (style === LINK_STYLE) return link(url, { class: kind, title: words.opensPage }, label);
  return make(
    'button',
    { type: 'button', class: kind, disabled, onclick: () => press(code) },
    label,
  );
}

/**
 * A button that opens a list of buttons rather than a `select`: in some browsers each arrow key would change
 * a `select` at once.
 */
function drawMenu({ placeholder = '', options, disabled }, press) {
  const list = make(
    'ul',
    { hidden: true },
    ...options.map(({ label, description, value }) =>
      make(
        'li',
        {},
        make(
          'button',
          { type: 'button', onclick: () => press(value) },
          make('span', {}, label),
          description && make('small', {}, description),
        ),
      ),
    ),
  );
  const show = (open) => {
    list.hidden = !open;
    opener.setAttribute('aria-expanded', String(open));
  };
  const opener = make(
    'button',
    {
      type: 'button',
      class: 'd-opener',
      disabled,
      'aria-expanded': 'false',
      onclick: () => show(list.hidden),
    },
    placeholder,
  );
  const onkeydown = (event) => {
    if (event.key !== 'Escape' || list.hidden) return;
    show(false);
    opener.focus();
  };
  return make('div', { class: 'd-menu', onkeydown }, opener, list);
}
