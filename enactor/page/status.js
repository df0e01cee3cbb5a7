"use strict";
// The status page's script. It only reads: it asks for this page and for api/status, and shows what they say. Text from either
// becomes text nodes, never markup; a document that is fetched is parsed without running anything, and what it says was escaped
// by its server. Times are counted from the answers' own instants, so a wrong clock on this side misleads nobody.
(() => {
  const ROWS = 50;
  const LEAST_PAUSE_SECONDS = 5;
  const MOST_PAUSE_SECONDS = 120;
  const PATIENCE_SECONDS = 20;
  const SHARE_OF_TIME = 10; // it pauses at least ten times as long as the last look took

  const by = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null));
    return made;
  };
  const said = (text) => make("bdi", {}, String(text));

  // ---- when the last answer came, and how old what it said is

  const heard = { wall: Date.now(), ticks: performance.now(), failures: 0 };
  const since = () => Math.max(Date.now() - heard.wall, performance.now() - heard.ticks) / 1000; // a laptop that slept stops one of them
  const facts = () => by("top").dataset;
  const now = () => Date.parse(facts().at) + since() * 1000;
  const duration = (seconds) => {
    const whole = Math.max(0, Math.round(seconds));
    if (whole < 120) return `${whole} s`;
    if (whole < 7200) return `${Math.round(whole / 60)} min`;
    return whole < 172800 ? `${Math.round(whole / 3600)} h` : `${Math.round(whole / 86400)} days`;
  };

  const tellAge = () => {
    const { age, old, every } = facts();
    const cycle = age === undefined ? null : Number(age) + since();
    const text = cycle === null ? "" : ` (${duration(cycle)} ago)`;
    if (by("age") && by("age").textContent !== text) by("age").textContent = text;
    let stale = "";
    if (heard.failures > 1 || (heard.failures && since() > Number(every) + PATIENCE_SECONDS)) {
      stale = `This enactor does not answer, now for ${duration(since())}. Everything below is old.`;
    } else if (cycle !== null && cycle > Number(old)) {
      stale = `No cycle has ended for ${duration(cycle)}. Everything below is old.`;
    }
    const banner = by("stale");
    if (banner.textContent !== stale) banner.textContent = stale;
    banner.hidden = !stale;
    document.documentElement.classList.toggle("is-stale", Boolean(stale));
    for (const cell of document.querySelectorAll("[data-since]")) {
      const words = duration((now() - Date.parse(cell.dataset.since)) / 1000);
      if (cell.textContent !== words) cell.textContent = words;
    }
  };

  // ---- the parts that the server writes

  const putInPlace = (fresh) => {
    const top = fresh.getElementById("top");
    if (!top) throw new Error("the answer is not this page");
    if (top.dataset.process !== facts().process) return location.reload(); // another process: it may speak otherwise
    for (const key of Object.keys(facts())) if (!(key in top.dataset)) delete facts()[key];
    Object.assign(facts(), { ...top.dataset });
    document.title = fresh.title;
    for (const part of fresh.querySelectorAll("[data-live]")) {
      const old = by(part.id);
      if (part.id === "pulse") part.querySelector("#age").textContent = by("age").textContent;
      if (!old || old.innerHTML === part.innerHTML) continue;
      const open = new Set([...old.querySelectorAll("details[open]")].map((one) => one.textContent));
      old.className = part.className;
      old.replaceChildren(...part.childNodes);
      for (const one of old.querySelectorAll("details")) one.open = open.has(one.textContent);
    }
    return undefined;
  };

  let shownDigest = null;
  const look = async () => {
    const began = performance.now();
    try {
      const page = await fetch("./", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_SECONDS * 1000) });
      if (!page.ok) throw new Error(`it answered ${page.status}`);
      putInPlace(new DOMParser().parseFromString(await page.text(), "text/html"));
      if (facts().endpoints !== shownDigest) await lookAtEndpoints();
      Object.assign(heard, { wall: Date.now(), ticks: performance.now(), failures: 0 });
    } catch {
      heard.failures += 1; // whatever it was: what stands here gets older, and that is what is told
    }
    tellAge();
    const took = (performance.now() - began) / 1000;
    const pause = Math.min(MOST_PAUSE_SECONDS, Math.max(LEAST_PAUSE_SECONDS, Number(facts().every), took * SHARE_OF_TIME));
    setTimeout(look, (heard.failures ? LEAST_PAUSE_SECONDS : pause) * 1000);
  };

  const lookAtEndpoints = async () => {
    const digest = facts().endpoints;
    const answer = await fetch("api/status", { cache: "no-store", signal: AbortSignal.timeout(3 * PATIENCE_SECONDS * 1000) });
    if (!answer.ok) throw new Error(`api/status answered ${answer.status}`);
    take(await answer.json());
    shownDigest = digest;
  };

  // ---- the table of all endpoints

  const AT_REST = new Set(["current", "held", "retired"]);
  const WORKED_AT = new Set(["behind", "drifted", "fence-missing", "missing", "empty"]);
  const isSilent = (one) => !one.answering && one.state !== "retired";
  const toneOf = (one) => {
    if (isSilent(one)) return "bad";
    if (WORKED_AT.has(one.state)) return "busy";
    return one.state === "current" || one.state === "retired" ? "good" : "warn";
  };
  const stateTone = (state) => toneOf({ state, answering: state !== "empty" && state !== "missing" });

  const narrow = matchMedia("(max-width: 48rem)"); // as in status.css, which hides the other columns there
  const NARROW_COLUMNS = 3;
  const view = { search: "", state: "", sort: "name", down: false, page: 0 };
  let report = { endpoints: [] };
  let found = [];
  const opened = new Set();
  const keyOf = (one) => `${one.zone} ${one.name}`;

  const COLUMNS = [
    { key: "name", title: "endpoint", of: (one) => one.name },
    { key: "state", title: "state", of: (one) => (isSilent(one) ? " " : "") + one.state },
    { key: "gen", title: "in force", of: (one) => one.generation ?? -1 },
    { key: "since", title: "in this state", of: (one) => one.since },
    { key: "sets", title: "record sets", of: (one) => one.record_sets ?? 0 },
    { key: "time", title: "timeline", of: (one) => (one.before ?? []).length + (one.timeline ?? []).length },
  ];

  const take = (fresh) => {
    report = fresh;
    for (const one of report.endpoints) {
      one.haystack = `${one.name} ${one.zone} ${one.state} ${(one.reasons ?? []).join(" ")}`.toLowerCase();
    }
    build();
    offerStates();
    find();
  };

  const matches = (one, words) =>
    words.every((word) => one.haystack.includes(word)) &&
    (!view.state || (view.state === "!silent" ? isSilent(one) : view.state === "!moving" ? !AT_REST.has(one.state) : one.state === view.state));

  const find = () => {
    const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
    const of = COLUMNS.find((column) => column.key === view.sort).of;
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    found = report.endpoints.filter((one) => matches(one, words));
    found.sort((a, b) => (view.down ? -1 : 1) * order(of(a), of(b)) || order(a.name, b.name) || order(a.zone, b.zone));
    draw();
  };

  const draw = () => {
    const pages = Math.max(1, Math.ceil(found.length / ROWS));
    view.page = Math.min(Math.max(0, view.page), pages - 1);
    const first = view.page * ROWS;
    const rows = found.slice(first, first + ROWS);
    const focused = document.activeElement?.dataset?.key;
    by("body").replaceChildren(...rows.flatMap((one, number) => row(one, number)));
    if (focused) [...by("body").querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused)?.focus();
    const whole = report.endpoints.length.toLocaleString("en");
    const range = rows.length ? `${(first + 1).toLocaleString("en")} to ${(first + rows.length).toLocaleString("en")} of ` : "";
    const text = `${range}${found.length.toLocaleString("en")} found, of ${whole} in all`;
    if (by("found").textContent !== text) by("found").textContent = text;
    by("page").textContent = `page ${(view.page + 1).toLocaleString("en")} of ${pages.toLocaleString("en")}`;
    by("before").disabled = view.page === 0;
    by("after").disabled = view.page === pages - 1;
    for (const column of COLUMNS) {
      const head = by(`head-${column.key}`);
      const isSorted = column.key === view.sort;
      head.setAttribute("aria-sort", isSorted ? (view.down ? "descending" : "ascending") : "none");
      head.firstChild.textContent = column.title + (isSorted ? (view.down ? " \u25bc" : " \u25b2") : "");
    }
  };

  const generation = (one) => {
    const own = one.generation === undefined ? "no fence" : `${one.generation}`;
    return one.state === "current" || one.wanted === undefined || one.wanted === one.generation ? own : `${own}, wanted ${one.wanted}`;
  };

  const row = (one, number) => {
    const key = keyOf(one);
    const isOpen = opened.has(key);
    const button = make("button", { type: "button", "aria-expanded": String(isOpen), "aria-controls": `more-${number}`, "data-key": key }, said(one.name));
    button.addEventListener("click", () => {
      if (!opened.delete(key)) opened.add(key);
      draw();
    });
    const state = make("td", { class: "state" }, make("span", { class: `tag ${toneOf(one)}` }, one.state));
    if (isSilent(one)) state.append(make("br"), make("strong", { class: "bad" }, "answers nothing"));
    const capacity = make("span", { class: "soft" }, `, capacity ${(one.capacity ?? 0).toLocaleString("en")}`);
    const line = make(
      "tr", {}, make("th", { scope: "row" }, button), state, make("td", { class: "gen" }, generation(one)),
      make("td", { class: "since", "data-since": one.since }, duration((now() - Date.parse(one.since)) / 1000)),
      make("td", { class: "sets" }, String(one.record_sets ?? 0), capacity), make("td", { class: "time" }, strip(one)),
    );
    const more = make("tr", { class: "more", id: `more-${number}` });
    more.hidden = !isOpen;
    if (isOpen) more.append(make("td", { colspan: String(narrow.matches ? NARROW_COLUMNS : COLUMNS.length) }, inner(one)));
    return [line, more];
  };

  const at = (step) => (step.generation === null || step.generation === undefined ? "no generation" : `generation ${step.generation}`);
  const put = (step) => { // as others wrote it down before this enactor started: never shown as a state that was seen
    const found = step.cause ? ` (found ${step.cause})` : "";
    return step.verb === "swap" ? `${at(step)}, put there by ${step.by}${found}` : `${step.verb} by ${step.by}, ${at(step)}`;
  };
  const seen = (step) => `${step.generation === null ? "no fence" : at(step)}, ${step.state}`;

  const spans = (one) => [
    ...(one.before ?? []).map((step) => ({ at: step.at, tone: "told", words: put(step), short: `${step.generation ?? "none"} by ${step.by}` })),
    ...(one.timeline ?? []).map((step) => ({ at: step.at, tone: stateTone(step.state), words: seen(step), short: `${step.generation ?? "no fence"} ${step.state}` })),
  ].map((step, number, all) => {
    const end = number + 1 < all.length ? Date.parse(all[number + 1].at) : now();
    return { ...step, seconds: Math.max(0, (end - Date.parse(step.at)) / 1000) };
  });

  const strip = (one) => {
    const steps = spans(one);
    const whole = steps.reduce((sum, step) => sum + step.seconds, 0) || 1;
    const words = steps.map((step) => step.short).join(", then ");
    const bar = make("div", { class: "strip", role: "img", "aria-label": `generations: ${words}` });
    for (const step of steps) {
      const part = make("span", { class: step.tone, title: `${step.words}, since ${step.at}` });
      part.style.flexGrow = String(step.seconds / whole);
      bar.append(part);
    }
    return bar;
  };

  const pairs = (entries) => {
    const list = make("dl");
    for (const [key, value] of entries) list.append(make("dt", {}, key), make("dd", {}, said(value)));
    return list;
  };

  const inner = (one) => {
    const box = make("div", { class: "inner" });
    for (const why of one.reasons ?? []) box.append(make("p", {}, said(why)));
    const numbers = (finding) => ["observed", "wanted", "limit"].filter((key) => finding[key] !== null && finding[key] !== undefined).map((key) => `${key} ${finding[key]}`).join(", ");
    for (const finding of one.guards ?? []) box.append(make("p", { class: "bad" }, make("strong", {}, finding.guard), " ", said(numbers(finding))));
    if (one.waits_seconds !== undefined) box.append(make("p", { class: "warn" }, `waits ${duration(one.waits_seconds)}: `, said(one.waits_why ?? "")));
    box.append(make("h3", {}, "Endpoint"), pairs([
      ["zone", one.zone], ["in force", generation(one)], ["since", one.since], ["last cycle", one.action ?? "none"],
      ["record sets", `${one.record_sets ?? 0}, capacity ${one.capacity ?? 0}`],
    ]));
    const steps = make("ol");
    for (const step of spans(one)) {
      steps.append(make("li", {}, said(step.words), `: since ${step.at}, for ${duration(step.seconds)}`));
    }
    const before = report.history_since
      ? `What was done before ${report.started} is what others wrote down, at most the last six of it since ${report.history_since}; then what this enactor saw.`
      : `As this enactor saw it since ${report.started}; the history of before was not read.`;
    box.append(make("h3", {}, "Timeline"), make("p", { class: "soft" }, before), strip(one), steps);
    if (one.fence) box.append(make("h3", {}, "Fence"), pairs(Object.entries(one.fence).map(([key, value]) => [key, typeof value === "object" ? JSON.stringify(value) : value])));
    return box;
  };

  const build = () => {
    if (by("rows")) return;
    const search = make("input", { type: "search", id: "search", placeholder: "name, zone or reason; press /", autocomplete: "off", spellcheck: "false" });
    const states = make("select", { id: "states" });
    const tools = make("div", { class: "tools" }, make("label", {}, "search", search), make("label", { class: "narrow" }, "state", states));
    const heads = COLUMNS.map((column) => {
      const button = make("button", { type: "button" }, column.title);
      button.addEventListener("click", () => {
        Object.assign(view, { down: view.sort === column.key && !view.down, sort: column.key, page: 0 });
        remember();
      });
      return make("th", { scope: "col", id: `head-${column.key}`, class: column.key }, button);
    });
    const table = make("table", { id: "rows", "aria-describedby": "found" }, make("caption", { class: "hidden" }, "All endpoints; the buttons of the header sort"), make("thead", {}, make("tr", {}, ...heads)), make("tbody", { id: "body" }));
    const turn = (id, title, by_) => {
      const button = make("button", { type: "button", id }, title);
      button.addEventListener("click", () => { view.page += by_; draw(); });
      return button;
    };
    const pages = make("div", { class: "pages" }, turn("before", "previous", -1), make("span", { id: "page" }), turn("after", "next", 1));
    by("table").append(tools, make("p", { id: "found", class: "soft", role: "status" }), table, pages);
    let timer = 0;
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => { Object.assign(view, { search: search.value, page: 0 }); remember(); }, 120);
    });
    states.addEventListener("change", () => { Object.assign(view, { state: states.value, page: 0 }); remember(); });
    fromAddress();
  };

  const offerStates = () => {
    const counts = new Map();
    for (const one of report.endpoints) counts.set(one.state, (counts.get(one.state) ?? 0) + 1);
    const silent = report.endpoints.filter(isSilent).length;
    const moving = report.endpoints.filter((one) => !AT_REST.has(one.state)).length;
    const choices = [["", "all", report.endpoints.length], ["!silent", "answers nothing", silent], ["!moving", "not at rest", moving]];
    for (const [state, count] of [...counts].sort()) choices.push([state, state, count]);
    if (view.state && !choices.some(([value]) => value === view.state)) choices.push([view.state, view.state, 0]);
    by("states").replaceChildren(...choices.map(([value, title, count]) => make("option", { value }, `${title} (${count.toLocaleString("en")})`)));
    by("states").value = view.state;
  };

  // ---- what is searched for stands in the address, so that it can be handed to somebody else

  const remember = () => {
    const words = new URLSearchParams();
    if (view.search) words.set("q", view.search);
    if (view.state) words.set("state", view.state);
    if (view.sort !== "name" || view.down) words.set("sort", (view.down ? "-" : "") + view.sort);
    history.replaceState(null, "", words.size ? `#${words}` : location.pathname);
    find();
  };

  const fromAddress = () => {
    const words = new URLSearchParams(location.hash.slice(1));
    const sort = words.get("sort") ?? "name";
    const key = sort.replace(/^-/, "");
    view.search = words.get("q") ?? "";
    view.state = words.get("state") ?? "";
    if (COLUMNS.some((column) => column.key === key)) Object.assign(view, { sort: key, down: sort.startsWith("-") });
    by("search").value = view.search;
  };

  addEventListener("hashchange", () => { if (by("rows") && location.hash.includes("=")) { fromAddress(); offerStates(); find(); } });
  addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && by("search")) {
      event.preventDefault();
      by("search").focus();
    }
    if (event.key === "Escape" && document.activeElement === by("search") && by("search")) {
      by("search").value = "";
      Object.assign(view, { search: "", page: 0 });
      remember();
    }
  });
  narrow.addEventListener("change", () => { if (by("rows")) draw(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) tellAge(); });
  setInterval(tellAge, 1000);
  tellAge();
  look();
})();
