/** Runs in a page: finds visible text, and hints in empty fields, whose colour is too close to the closest colour behind it. */
export const CONTRASTS = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const paint = (...colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([r, g, b]) => [r, g, b].map((each) => each / 255)
    .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, i) => sum + each * [0.2126, 0.7152, 0.0722][i], 0);
  const faults = [];
  const contrast = (...two) => {
    const [high, low] = two.map(light).sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const behindOf = (element) => {
    const behind = [];
    for (let each = element; each; each = each.parentElement) behind.unshift(getComputedStyle(each).backgroundColor);
    return behind;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest('noscript, .unseen, .skip, :disabled')) continue;
    if (!element.checkVisibility()) continue;
    const behind = behindOf(element);
    const ratio = contrast(paint(...behind, getComputedStyle(element).color), paint(...behind));
    if (ratio < 4.5) faults.push(element.className + ' ' + walker.currentNode.data.slice(0, 20) + ' ' + ratio.toFixed(2));
  }
  for (const field of document.querySelectorAll('input[placeholder]')) {
    const behind = behindOf(field);
    const hint = getComputedStyle(field, '::placeholder').color;
    const ratio = contrast(paint(...behind, hint), paint(...behind));
    if (ratio < 4.5) faults.push('placeholder ' + field.placeholder + ' ' + ratio.toFixed(2));
  }
  return faults;
})()`;
