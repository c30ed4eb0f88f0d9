import { CloakroomError } from './CloakroomError.js'

/** @typedef {import('./Form.js').Form} Form */

/**
 * Defines `<cloakroom-form>`, `<cloakroom-field>` and `<cloakroom-card>`, unless the page has.
 * @param {(id: string, options: any) => Form} open
 */
export function defineElements(open) {
  if (!globalThis.customElements || customElements.get('cloakroom-form')) return

  /**
   * The attributes of an element, without those that are absent.
   * @param {Element} element
   * @param {string[]} names
   */
  const attributes = (element, names) => {
    /** @type {Record<string, string>} */
    const found = {}
    for (const name of names) {
      const value = element.getAttribute(name)
      if (value !== null) found[name] = value
    }
    return found
  }

  /** A form of the page around which this stands sends the aliases of its fields instead of what was typed. */
  class FormElement extends HTMLElement {
    /** @type {Form | undefined} */
    form
    /**
     * As the option of the same name; else the attribute counts.
     * @type {string | (() => string | Promise<string>) | undefined}
     */
    session
    #isPending = false

    open() {
      if (this.form) return this.form
      const session = () => {
        const given = this.session ?? this.getAttribute('session') ?? undefined
        return typeof given === 'function' ? given() : given
      }
      const form = (this.form = open(this.getAttribute('form') ?? '', { ...attributes(this, ['gateway', 'locale']), session }))
      for (const name of /** @type {const} */ (['ready', 'change', 'error'])) {
        form.on(name, (detail) => this.dispatchEvent(new CustomEvent('cloakroom-' + name, { detail })))
      }
      form.on('submit', () => this.querySelector('form')?.requestSubmit())
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

    /** @param {Event} event */
    async handleEvent(event) {
      const target = event.target
      if (!(target instanceof HTMLFormElement) || event.defaultPrevented) return
      event.preventDefault()
      // A second click while the first is under way is none.
      if (this.#isPending) return
      this.#isPending = true
      // Listeners around this element come after it, and may want the form to stay.
      let isStopped = false
      event.preventDefault = () => void (isStopped = true)
      try {
        await new Promise((resolve) => setTimeout(resolve))
        if (isStopped) return
        const form = this.open()
        const { data } = await (this.getAttribute('action') === 'tokens' ? form.tokens() : form.aliases())
        for (const [name, value] of Object.entries(data)) {
          target.querySelector(`input[type=hidden][name="${CSS.escape(name)}"]`)?.remove()
          target.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
        }
        this.#submit(target, /** @type {SubmitEvent} */ (event).submitter)
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
     * @param {HTMLElement | null} button
     */
    #submit(target, button) {
      /** @param {Event} again */
      const pass = (again) => again.stopImmediatePropagation()
      this.addEventListener('submit', pass, true)
      // A control named `requestSubmit` would hide the method; a button may have left the form since.
      HTMLFormElement.prototype.requestSubmit.call(target, target.contains(button) ? button : null)
      this.removeEventListener('submit', pass, true)
    }
  }

  class Part extends HTMLElement {
    /** @type {{ unmount(): void } | undefined} */
    mounted

    connectedCallback() {
      const parent = this.closest('cloakroom-form')
      if (parent instanceof FormElement) this.mounted = this.mountable(parent.open()).mount(this)
    }

    disconnectedCallback() {
      this.mounted?.unmount()
    }

    /** @param {Form} form @returns {any} */
    mountable(form) {
      return form
    }

    get options() {
      return {
        ...attributes(this, ['label', 'placeholder', 'layout', 'number', 'expiry', 'cvc']),
        disabled: this.hasAttribute('disabled'), autofocus: this.hasAttribute('autofocus'),
        showBrand: this.getAttribute('brand') !== 'hidden',
      }
    }
  }

  class FieldElement extends Part {
    /** @param {Form} form */
    mountable(form) {
      return form.field(this.getAttribute('name') ?? '', this.options)
    }
  }

  class CardElement extends Part {
    /** @param {Form} form */
    mountable(form) {
      return form.card(/** @type {any} */ (this.options))
    }
  }

  customElements.define('cloakroom-form', FormElement)
  customElements.define('cloakroom-field', FieldElement)
  customElements.define('cloakroom-card', CardElement)
}
