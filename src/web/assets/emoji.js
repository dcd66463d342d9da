import { make } from './dom.js';

/**
 * The emoji of answers, drawn by us as the chats draw them by theirs: not every computer has a font
 * that does, and the page asks nobody else for one.
 */
const PICTURES = {
  '🔱': 'trident',
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
};

const ANY = new RegExp(`(${Object.keys(PICTURES).join('|')})`, 'u');

/** Puts a picture in place of every such emoji below a node; reading out and copying still get the emoji. */
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
