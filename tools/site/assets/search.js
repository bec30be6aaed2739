// The search: every word must begin a word of the passage; titles count more than text. The index is a file of ours, fetched
// when the search is first used.

const box = document.querySelector('.search');
const input = document.querySelector('#search');
const list = document.querySelector('#search-results');
const { index: indexAddress } = document.currentScript.dataset;
const MAX_RESULTS = 12;

let loading;
let selected = -1;

function load() {
  loading ??= fetch(indexAddress)
    .then((response) => response.json())
    .then((rows) =>
      rows.map(([page, title, path, text]) => ({
        page,
        title,
        path,
        text,
        lower: `${page} ${title} ${text}`.toLowerCase(),
      })),
    );
  return loading;
}

function score({ page, title, path, lower }, words) {
  let sum = 0;
  // A page about the words comes before a passage, a row or a call that has them in its name; a guide before a reference.
  const isNamed = words.every((word) => findWord(page.toLowerCase(), word) >= 0);
  if (isNamed && !path.includes('#')) sum += words.length * 60 + (path.includes('/guides/') ? 10 : 0);
  for (const word of words) {
    const at = findWord(lower, word);
    if (at < 0) return 0;
    const name = title.toLowerCase();
    if (name === word) sum += 60;
    else if (findWord(name, word) >= 0) sum += 20;
    if (findWord(page.toLowerCase(), word) >= 0) sum += 6;
    sum += 1;
  }
  return sum;
}

/** At the beginning of a word; an underscore, a slash or a dot begins one, too. */
function findWord(text, word) {
  let at = text.indexOf(word);
  while (at > 0 && /[a-z0-9]/.test(text[at - 1])) at = text.indexOf(word, at + 1);
  return at;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return close();
  const entries = await load();
  const found = entries
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, MAX_RESULTS);
  show(
    found.map(({ entry }) => entry),
    words,
  );
}

function show(entries, words) {
  list.replaceChildren(...entries.map((entry, at) => renderResult(entry, words, at)));
  if (entries.length === 0) {
    const nothing = document.createElement('li');
    nothing.className = 'nothing';
    nothing.setAttribute('role', 'option');
    nothing.setAttribute('aria-disabled', 'true');
    nothing.textContent = document.documentElement.lang.startsWith('zh') ? '未找到结果' : 'Nothing found.';
    list.append(nothing);
  }
  list.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  select(entries.length === 0 ? -1 : 0);
}

function renderResult(entry, words, at) {
  const item = document.createElement('li');
  item.id = `search-result-${at}`;
  item.setAttribute('role', 'option');
  item.dataset.path = entry.path;
  const name = document.createElement('b');
  name.textContent = entry.title;
  const where = document.createElement('small');
  where.textContent = entry.title === entry.page ? '' : `${entry.page} · `;
  where.append(...markWords(excerpt(entry.text, words), words));
  item.append(name, where);
  item.addEventListener('mousedown', (event) => {
    event.preventDefault();
    go(entry.path);
  });
  return item;
}

function excerpt(text, words) {
  const at = Math.max(0, findWord(text.toLowerCase(), words[0]));
  // A few words before it, all of them whole: the line is short, and what was found must be in it.
  const from = at > 20 ? Math.min(at, text.indexOf(' ', at - 20) + 1) : 0;
  return `${from > 0 ? '…' : ''}${text.slice(from, at + 90)}`;
}

function markWords(text, words) {
  const pieces = text.split(new RegExp(`(${words.map((word) => word.replaceAll(/[^\w]/g, '\\$&')).join('|')})`, 'i'));
  return pieces.map((piece, at) => {
    if (at % 2 === 0) return piece;
    const mark = document.createElement('mark');
    mark.textContent = piece;
    return mark;
  });
}

function select(at) {
  const items = [...list.querySelectorAll('li[data-path]')];
  selected = items.length === 0 ? -1 : (at + items.length) % items.length;
  for (const [index, item] of items.entries()) item.setAttribute('aria-selected', String(index === selected));
  if (selected < 0) input.removeAttribute('aria-activedescendant');
  else input.setAttribute('aria-activedescendant', items[selected].id);
  items[selected]?.scrollIntoView({ block: 'nearest' });
}

function go(path) {
  close();
  input.blur();
  location.assign(path);
}

function close() {
  list.hidden = true;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
}

box.hidden = false;
input.addEventListener('focus', load);
input.addEventListener('input', search);
input.addEventListener('blur', close);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') input.blur();
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    select(selected + (event.key === 'ArrowDown' ? 1 : -1));
  } else if (event.key === 'Enter') {
    const path = list.querySelector('[aria-selected="true"]')?.dataset.path;
    if (path !== undefined) go(path);
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input, textarea, select')) return;
  event.preventDefault();
  input.focus();
});
