/** What a script adds to the pages: the choice of colours, and buttons that copy. */

const YEAR = 31_536_000;
/** How long a button shows the result, in milliseconds. */
const SAID_MS = 2_000;

document.getElementById('theme')?.addEventListener('change', (event) => {
  const { value } = event.target;
  document.documentElement.dataset.theme = value;
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser, nor over plain HTTP.
  document.cookie = `fathom_theme=${value}; Path=/; Max-Age=${YEAR}; SameSite=Lax`;
});

for (const button of document.querySelectorAll('[data-copy]')) {
  const label = button.textContent;
  let said;
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    const { copy, done, failed } = button.dataset;
    try {
      await navigator.clipboard.writeText(copy);
      button.textContent = done;
    } catch {
      // Plain HTTP, or the browser doesn't allow it.
      button.textContent = failed;
    }
    clearTimeout(said);
    said = setTimeout(() => {
      button.textContent = label;
    }, SAID_MS);
  });
}
