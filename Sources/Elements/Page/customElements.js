import { CloakroomError } from './CloakroomError.js'

/** @typedef {import('./Form.js').Form} Form */

/**
 * Defines `<cloakroom-form>`, `<cloakroom-field>` and `<cloakroom-card>`, unless the page has.
 * @param {(id: string, options: any) => Form} open
 */
export function defineElements(open) {
  if (!globalThis.customElements || customElements.get('cloakroom-form')) return

  /**
   * The attributes of an element; those that are absent are undefined, as absent options are.
   * @param {Element} element
   * @param {string[]} names
   */
  const attributes = (element, names) => Object.fromEntries(names.map((name) => [name, element.getAttribute(name) ?? undefined]))

  /** A form of the page around which this stands sends the aliases of its fields instead of what was typed. */
  class FormElement extends HTMLElement {
    /** @type {Form | undefined} */
    form
    /**
     * As the option of the same name; else the attribute counts. The page may have set it before the element was one of this class.
     * @type {string | (() => string | Promise<string>) | undefined}
     */
    session = /** @type {any} */ (this).session
    #isPending = false
    /**
     * What holds the aliases of the last submission.
     * @type {HTMLInputElement[]}
     */
    #inputs = []

    open() {
      if (this.form) return this.form
      const session = () => {
        const given = this.session ?? this.getAttribute('session')
        return typeof given === 'function' ? given() : given
      }
      const form = (this.form = open(this.getAttribute('form') ?? '', { ...attributes(this, ['gateway', 'locale']), session }))
      for (const name of /** @type {const} */ (['ready', 'change', 'error'])) {
        form.on(name, (detail) => this.dispatchEvent(new CustomEvent('cloakroom-' + name, { detail })))
      }
      // As the key in an input of the page: by the first button that submits, which may be disabled (HTML, section 4.10.21.2).
      form.on('submit', () => {
        const target = this.querySelector('form')
        if (!target) return
        // Controls named `elements` or `requestSubmit` would hide the form's own.
        /** @type {NodeListOf<HTMLButtonElement>} */
        const parts = /** @type {Document} */ (this.getRootNode()).querySelectorAll('button,input')
        for (const part of parts) if (part.form === target && part.type === 'submit') return part.click()
        HTMLFormElement.prototype.requestSubmit.call(target)
      })
      return form
    }

    connectedCallback() {
      this.open()
      this.addEventListener('submit', this)
    }

    disconnectedCallback() {
      this.form?.destroy()
      this.form = undefined
    }

    #forget = () => {
      for (const input of this.#inputs.splice(0)) input.remove()
    }

    /** @param {Event} event */
    async handleEvent(event) {
      const target = event.target
      if (!(target instanceof HTMLFormElement) || event.defaultPrevented) return
      event.preventDefault()
      // A second click while the first is under way is none.
      if (this.#isPending) return
      this.#isPending = true
      // A field that is empty by now has no alias that would take the place of its last one.
      this.#forget()
      // Listeners around this element come after it, and may want the form to stay.
      let isStopped = false
      event.preventDefault = () => void (isStopped = true)
      try {
        await new Promise((resolve) => setTimeout(resolve))
        if (isStopped || !this.isConnected) return
        const form = this.open()
        const { data } = await (this.getAttribute('action') === 'tokens' ? form.tokens() : form.aliases())
        // A page that comes back from the history has empty fields, and no aliases of what was in them.
        addEventListener('pagehide', this.#forget, { once: true })
        for (const [name, value] of Object.entries(data)) {
          // A control named as a method would hide it.
          Element.prototype.querySelector.call(target, `input[type=hidden][name="${CSS.escape(name)}"]`)?.remove()
          const input = Object.assign(document.createElement('input'), { type: 'hidden', name, value })
          this.#inputs.push(input)
          Element.prototype.append.call(target, input)
        }
        this.#submit(target, /** @type {any} */ (event).submitter)
      } catch (error) {
        const detail = error instanceof CloakroomError ? error
          : new CloakroomError({ type: 'malformedRequest', title: /** @type {Error} */ (error).message })
        this.dispatchEvent(new CustomEvent('cloakroom-error', { detail }))
      } finally {
        this.#isPending = false
      }
    }

    /**
     * Submits a form as its button says, without asking the listeners again that have seen it.
     * @param {HTMLFormElement} target
     * @param {HTMLButtonElement | HTMLInputElement | null} button
     */
    #submit(target, button) {
      /** @param {Event} again */
      const pass = (again) => again.stopImmediatePropagation()
      this.addEventListener('submit', pass, true)
      // A control named `requestSubmit` would hide the method; a button may have left the form since.
      HTMLFormElement.prototype.requestSubmit.call(target, button?.form === target ? button : null)
      this.removeEventListener('submit', pass, true)
    }
  }

  /**
   * Defines the element of what is mounted in a form.
   * @param {string} name
   * @param {(form: Form, options: any) => { mount(target: Element): { unmount(): void } }} make
   */
  const definePart = (name, make) => customElements.define('cloakroom-' + name, class extends HTMLElement {
    /** @type {{ unmount(): void } | undefined} */
    mounted

    connectedCallback() {
      const parent = this.closest('cloakroom-form')
      if (!(parent instanceof FormElement)) return
      const options = {
        ...attributes(this, ['name', 'label', 'placeholder', 'layout', 'number', 'expiry', 'cvc']),
        disabled: this.hasAttribute('disabled'), autofocus: this.hasAttribute('autofocus'),
        showBrand: this.getAttribute('brand') !== 'hidden',
      }
      // The page may have put in what it has copied from a field.
      this.querySelector('iframe')?.remove()
      this.mounted = make(parent.open(), options).mount(this)
    }

    disconnectedCallback() {
      this.mounted?.unmount()
    }
  })

  customElements.define('cloakroom-form', FormElement)
  definePart('field', (form, options) => form.field(options.name ?? '', options))
  definePart('card', (form, options) => form.card(options))
}
