"""What a test asks of a page in a browser: contrast as it is painted, names of controls, what a keyboard reaches."""

from typing import Final

from .browser import Page

CONTRAST_LEAST: Final = 4.5
CONTRAST_LEAST_LARGE: Final = 3.0
"""WCAG 2.2, success criterion 1.4.3; large is 24 px, or 18.66 px and bold."""
FAINT: Final = """
(() => {
  const parts = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (one) => { for (; one; one = one.parentElement) { const c = parts(getComputedStyle(one).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return parts(getComputedStyle(document.documentElement).getPropertyValue('--none') || 'rgb(255,255,255)'); };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), faint = []; let seen = 0;
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !one.checkVisibility() || one.closest('script, option, .hidden, :disabled')) continue;
    const style = getComputedStyle(one), size = parseFloat(style.fontSize);
    const [a, b] = [light(parts(style.color)), light(ground(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    seen += 1;
    if (ratio < (large ? %s : %s)) faint.push(walker.currentNode.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
  }
  return { seen, faint };
})()
""" % (CONTRAST_LEAST_LARGE, CONTRAST_LEAST)  # noqa: UP031 - the script is full of braces and per cent stands nowhere else
UNNAMED: Final = """
[...document.querySelectorAll('button, a, input, select, meter, table, [role=img], [role=group]')]
  .filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') || (one.labels && one.labels.length)))
  .map((one) => one.outerHTML.slice(0, 80))
"""
REACHED: Final = """
(() => { const one = document.activeElement; return one === document.body ? '' : (one.id || one.textContent.trim().slice(0, 40)); })()
"""
RINGED: Final = """
(() => { const style = getComputedStyle(document.activeElement); return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2; })()
"""


def faint_texts(page: Page) -> list[str]:
    """Return every text whose contrast to what it stands on is too low for WCAG AA."""
    found = page.ask(FAINT)
    assert found["seen"] > 20, "a page without text would have no faint one"
    return list(found["faint"])


def unnamed(page: Page) -> list[str]:
    """Return every control, table or picture that a screen reader has no name for."""
    return list(page.ask(UNNAMED))


def tabbed(page: Page, steps: int) -> list[str]:
    """Press Tab so often; return what is reached, each of which must show that it has the focus."""
    found = []
    for _ in range(steps):
        page.press("Tab")
        found.append(str(page.ask(REACHED)))
        assert page.ask(RINGED), f"{found[-1]!r} has the focus and does not show it"
    return found


def fits(page: Page, width: int) -> bool:
    """Tell whether nobody must scroll sideways on a screen of that width: on a phone a page that is too wide is shown smaller."""
    return bool(page.ask(f"document.documentElement.scrollWidth <= innerWidth && innerWidth === {width}"))
