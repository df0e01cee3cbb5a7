"use strict";
// Steps through the moments of a replay, one at a time, with buttons, arrow keys, and the address. Everything stands in the
// document: without this script all moments are shown below each other.
(() => {
  const moments = [...document.querySelectorAll(".moment")];
  const steps = document.getElementById("steps");
  const told = document.getElementById("told");
  const goes = [...steps.querySelectorAll("ol button")];
  let now = 0;

  const show = (number) => {
    now = Math.min(Math.max(0, number), moments.length - 1);
    moments.forEach((one, index) => { one.hidden = index !== now; });
    goes.forEach((one, index) => (index === now ? one.setAttribute("aria-current", "step") : one.removeAttribute("aria-current")));
    document.getElementById("back").disabled = now === 0;
    document.getElementById("on").disabled = now === moments.length - 1;
    told.textContent = moments[now].querySelector("h2").textContent;
    history.replaceState(null, "", `#${now + 1}`);
  };

  const fromAddress = () => show((Number.parseInt(location.hash.slice(1), 10) || 1) - 1);

  document.getElementById("back").addEventListener("click", () => show(now - 1));
  document.getElementById("on").addEventListener("click", () => show(now + 1));
  goes.forEach((one, index) => one.addEventListener("click", () => show(index)));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: moments.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
  addEventListener("hashchange", fromAddress);
  steps.hidden = false;
  fromAddress();
})();
