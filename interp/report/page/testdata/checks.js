// What browser_test.go asks of an open page. Each function returns plain data;
// a list of problems is empty if all is well.
({
  // settled waits until two frames are drawn: what was changed shows by then.
  settled() {
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))));
  },

  // fold folds, or unfolds, everything that the reader can.
  fold(away) {
    for (const d of document.querySelectorAll("details")) d.open = !away;
  },

  // folded lists what is folded away and can't be seen, but for what is an aside.
  folded() {
    return [...document.querySelectorAll("details:not(.aside) > :not(summary)")]
      .filter((e) => !e.checkVisibility({ contentVisibilityAuto: true }) || e.getBoundingClientRect().height < 1)
      .map((e) => e.textContent.slice(0, 60));
  },

  // overflow lists what makes the page wider than the window.
  overflow() {
    const page = document.scrollingElement;
    if (page.scrollWidth <= page.clientWidth) return [];
    const out = [`the page is ${page.scrollWidth} px wide, the window ${page.clientWidth} px`];
    for (const e of document.querySelectorAll("body *")) {
      const box = e.getBoundingClientRect();
      if (box.right > page.clientWidth + 1 && !e.closest(".scroll, pre, svg")) {
        out.push(`<${e.localName} class="${e.className}"> ends at ${Math.round(box.right)} px: ${e.textContent.slice(0, 60)}`);
      }
    }
    return out.slice(0, 10);
  },

  // contrast lists texts with less than 4.5 to 1 (WCAG 1.4.3). Charts are not
  // looked at: what is behind a letter of theirs can't be asked for.
  contrast() {
    const luminance = (c) => c.map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const color = (css) => css.match(/[\d.]+/g).map(Number);
    const out = new Set();
    let looked = 0;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const e = walk.currentNode.parentElement;
      if (!walk.currentNode.data.trim() || e.closest("svg") || !e.checkVisibility()) continue;
      let paper = [255, 255, 255];
      for (let p = e; p; p = p.parentElement) {
        const c = color(getComputedStyle(p).backgroundColor);
        if (c.length === 3 || c[3] === 1) { paper = c.slice(0, 3); break; }
      }
      const [a, b] = [color(getComputedStyle(e).color).slice(0, 3), paper].map(luminance);
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) out.add(`${ratio.toFixed(2)} to 1 in <${e.localName} class="${e.className}">: ${e.textContent.slice(0, 60)}`);
      looked++;
    }
    return looked === 0 ? ["no text is visible"] : [...out].slice(0, 10);
  },

  // charts counts those that show.
  charts() {
    return [...document.querySelectorAll(".chart > svg")].filter((e) => e.getBoundingClientRect().width > 100).length;
  },

  // visible is the text that is shown without a click. What has no size, and
  // should be there, is a problem.
  visible() {
    const hidden = [];
    for (const e of document.querySelectorAll("h1, h2, h3, table, .wide > svg, pre.copy, summary, .findings > li, nav a")) {
      const box = e.getBoundingClientRect();
      if (!e.closest("details:not([open]) > :not(summary)") && (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || box.width < 1 || box.height < 1)) {
        hidden.push(`<${e.localName}> ${e.textContent.slice(0, 60)}`);
      }
    }
    return { text: document.body.innerText, hidden };
  },

  // spot brings the i-th chart into view and says where its first value is.
  spot(i) {
    const svg = document.querySelectorAll(".wide > svg")[i];
    const spot = svg.querySelector("rect:has(> title)");
    if (!spot) return null;
    spot.scrollIntoView({ block: "center" });
    const box = spot.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  },

  // hovered is what the browser says of the place where the pointer is.
  hovered() {
    const at = [...document.querySelectorAll(":hover")].at(-1);
    return at?.querySelector(":scope > title")?.textContent ?? "";
  },

  // box brings the i-th box of numbers into view and says where it begins.
  box(i) {
    const box = document.querySelectorAll("pre.copy")[i];
    box.scrollIntoView({ block: "center" });
    const { x, y } = box.getBoundingClientRect();
    return { x: x + 20, y: y + 20 };
  },

  // selected says whether the i-th box of numbers, and no more, is selected.
  selected(i) {
    return getSelection().toString().trim() === document.querySelectorAll("pre.copy")[i].textContent.trim();
  },

  count(selector) {
    return document.querySelectorAll(selector).length;
  },

  height() {
    return document.scrollingElement.scrollHeight;
  },

  language() {
    return document.documentElement.lang;
  },
})
