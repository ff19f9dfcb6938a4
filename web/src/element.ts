type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** An element with attributes (functions listen to events) and children. Strings become text and nothing else. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false) made.setAttribute(name, value);
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

/** Text of unknown origin that must not disturb what stands around it, whatever its direction of writing. */
export const isolated = (text: string) => element('bdi', {}, text);
