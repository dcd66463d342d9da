import { drawRow } from './discord-parts.js';
import { fileLink, make, picture } from './dom.js';
import { markdown } from './markdown.js';

/** Kinds of components: https://discord.com/developers/docs/components/reference */
const ROW = 1;
const SECTION = 9;
const TEXT = 10;
const GALLERY = 12;
const FILE = 13;
const SEPARATOR = 14;
const CONTAINER = 17;

/**
 * Draws a component of a message that consists of components.
 * @param {{file?: {name: string, text: string}, words: Record<string, string>,
 *   press: (code: string) => void}} context
 */
export function drawLayout(part, context) {
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
