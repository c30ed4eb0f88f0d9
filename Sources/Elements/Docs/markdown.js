import { element, slug } from './element.js'

/**
 * Renders the Markdown of this project's own pages: headings, paragraphs, lists, tables, code, links, emphasis. One section for each
 * heading of the first two levels.
 *
 * @param {string} text
 * @param {string} page its name, which leads the ids of its sections
 * @returns {{title: string, id: string, section: HTMLElement}[]}
 */
export function sections(text, page) {
  const lines = text.split('\n')
  /** @type {{title: string, id: string, section: HTMLElement}[]} */
  const found = []
  let at = 0
  while (at < lines.length) {
    const heading = /^(#{1,6}) (.*)$/.exec(lines[at])
    if (heading && (heading[1].length <= 2 || found.length === 0)) {
      const title = heading[2].replace(/[`*]/g, '')
      const id = found.length === 0 ? page : `${page}-${slug(title)}`
      found.push({ title, id, section: element('section', { id }, element('h2', {}, ...inline(heading[2], page))) })
      at += 1
      continue
    }
    if (lines[at].trim() === '' || found.length === 0) {
      at += 1
      continue
    }
    const [block, next] = readBlock(lines, at, page)
    found[found.length - 1].section.append(block)
    at = next
  }
  return found
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {string} page
 * @returns {[HTMLElement, number]} the block that begins at a line, and the line behind it
 */
function readBlock(lines, at, page) {
  const line = lines[at]
  const heading = /^(#{3,6}) (.*)$/.exec(line)
  if (heading) return [element(`h${heading[1].length}`, {}, ...inline(heading[2], page)), at + 1]
  if (line.startsWith('```')) return readFence(lines, at)
  if (line.startsWith('    ')) return readWhile(lines, at, (text) => text.startsWith('    ') || text.trim() === '', (block) => code(block.map((text) => text.slice(4)).join('\n').trimEnd()))
  if (line.startsWith('|')) return readWhile(lines, at, (text) => text.startsWith('|'), (rows) => table(rows, page))
  if (/^\s*([-*]|\d+\.) /.test(line)) return readWhile(lines, at, (text) => /^\s*([-*]|\d+\.) /.test(text) || /^\s+\S/.test(text), (items) => list(items, page))
  return readWhile(lines, at, (text) => text.trim() !== '' && !/^(#|```|\||[-*] |\d+\. )/.test(text), (text) => element('p', {}, ...inline(text.map((part) => part.replace(/^> ?/, '')).join(' '), page)))
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @returns {[HTMLElement, number]}
 */
function readFence(lines, at) {
  let end = at + 1
  while (end < lines.length && !lines[end].startsWith('```')) end += 1
  return [code(lines.slice(at + 1, end).join('\n')), end + 1]
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {(line: string) => boolean} belongs
 * @param {(lines: string[]) => HTMLElement} make
 * @returns {[HTMLElement, number]}
 */
function readWhile(lines, at, belongs, make) {
  let end = at + 1
  while (end < lines.length && belongs(lines[end])) end += 1
  return [make(lines.slice(at, end)), end]
}

/** @param {string} text */
function code(text) {
  return element('pre', { tabindex: '0' }, element('code', {}, text))
}

/**
 * @param {string[]} rows
 * @param {string} page
 */
function table(rows, page) {
  const cells = rows.map((row) => row.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')))
  const head = element('tr', {}, ...cells[0].map((cell) => (cell === '' ? element('td') : element('th', { scope: 'col' }, ...inline(cell, page)))))
  const body = cells.slice(2).map((row) => element('tr', {}, ...row.map((cell) => element('td', {}, ...inline(cell, page)))))
  return element('table', { tabindex: '0' }, element('thead', {}, head), element('tbody', {}, ...body))
}

/**
 * A list of one level: an item that is indented is written as an item of its own.
 *
 * @param {string[]} lines
 * @param {string} page
 */
function list(lines, page) {
  /** @type {string[]} */
  const items = []
  for (const line of lines) {
    const item = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(line)
    if (item) items.push(item[1])
    else items[items.length - 1] += ` ${line.trim()}`
  }
  const name = /^\s*\d/.test(lines[0]) ? 'ol' : 'ul'
  return element(name, {}, ...items.map((item) => element('li', {}, ...inline(item, page))))
}

/**
 * Code, links, strong and emphasised text.
 *
 * @param {string} text
 * @param {string} page
 * @returns {(Node | string)[]}
 */
function inline(text, page) {
  /** @type {(Node | string)[]} */
  const parts = []
  const pattern = /(`+)(.+?)\1|\[([^\]]+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|\*([^*\s][^*]*)\*/g
  let end = 0
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index))
    end = (match.index ?? 0) + match[0].length
    if (match[2] !== undefined) parts.push(element('code', {}, match[2]))
    else if (match[3] !== undefined) parts.push(link(match[3], match[4], page))
    else if (match[5] !== undefined) parts.push(element('strong', {}, ...inline(match[5], page)))
    else parts.push(element('em', {}, ...inline(match[6], page)))
  }
  parts.push(text.slice(end))
  return parts
}

/**
 * Links between the pages lead to their sections here; files that are not part of this page are named only.
 *
 * @param {string} text
 * @param {string} target
 * @param {string} page
 */
function link(text, target, page) {
  if (/^https?:\/\//.test(target)) return element('a', { href: target, rel: 'noreferrer' }, ...inline(text, page))
  if (target.startsWith('#')) return element('a', { href: `#${page}-${target.slice(1)}` }, ...inline(text, page))
  const local = /^(.*\/)?([a-z-]+)\.md(?:#(.*))?$/.exec(target)
  if (!local) return element('span', {}, ...inline(text, page))
  // As in the folders: the reference pages link to each other by their names alone.
  const isReference = local[1]?.endsWith('reference/') || (local[1] === undefined && page.startsWith('reference-'))
  const id = `${isReference ? 'reference-' : ''}${local[2]}${local[3] ? `-${local[3]}` : ''}`
  return element('a', { href: `#${id}` }, ...inline(text, page))
}
