import { make } from './dom.js';

/**
 * Our own drawings of the emoji in answers, since the chats bring theirs, not every computer has a suitable
 * font, and the page loads nothing from elsewhere.
 */
const PICTURES = {
  '🔱': 'titan',
  '🐋': 'whale',
  '🦈': 'shark',
  '🐬': 'dolphin',
  '🦐': 'shrimp',
  '🌊': 'wave',
  '⏳': 'hourglass',
  '⚠️': 'warning',
  '🔒': 'lock',
  '⬜': 'white',
  '🟩': 'green',
  '🟦': 'blue',
  '🟪': 'purple',
  '🟨': 'yellow',
  '🥇': 'first',
  '🥈': 'second',
  '🥉': 'third',
  '✅': 'check',
  '❔': 'question',
  '⛔': 'barred',
};

const ANY = new RegExp(`(${Object.keys(PICTURES).join('|')})`, 'u');

/** Shows a picture in place of each emoji below a node; screen readers and copying still get the emoji. */
export function drawEmoji(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (ANY.test(walker.currentNode.data)) texts.push(walker.currentNode);
  for (const text of texts) {
    const parts = text.data.split(ANY).map((part) => {
      const name = PICTURES[part];
      if (name === undefined) return part;
      return make('img', { class: 'emoji', src: `/playground/emoji.svg#${name}`, alt: part });
    });
    text.replaceWith(...parts);
  }
}
