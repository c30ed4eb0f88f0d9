/**
 * Shows only the sections that have all words of the search, and their lines of the contents.
 *
 * @param {HTMLInputElement} input
 * @param {HTMLElement} content
 * @param {HTMLElement} contents
 * @param {HTMLElement} found where the number of sections is said
 */
export function search(input, content, contents, found) {
  const sections = [...content.querySelectorAll('section')].map((section) => ({ section, text: (section.textContent ?? '').toLowerCase() }))
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    /** @type {Set<string>} */
    const shown = new Set()
    for (const { section, text } of sections) {
      section.hidden = !words.every((word) => text.includes(word))
      if (!section.hidden) shown.add(section.id)
    }
    for (const link of contents.querySelectorAll('a')) {
      const item = link.closest('li')
      if (item) item.hidden = !shown.has((link.getAttribute('href') ?? '').slice(1))
    }
    for (const list of contents.querySelectorAll('ul')) {
      const heading = list.previousElementSibling
      if (heading instanceof HTMLElement) heading.hidden = ![...list.children].some((item) => item instanceof HTMLElement && !item.hidden)
    }
    found.textContent = words.length === 0 ? '' : `${shown.size} of ${sections.length} sections`
  })
}
