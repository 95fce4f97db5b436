"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  for (const part of document.querySelectorAll("[data-needs-script]")) part.hidden = false;

  // The choices stand in the address after the section, as in #cases?q=bag&verdict=contradicted.
  const split = () => {
    const [section, choices] = location.hash.slice(1).split("?");
    return { section, choices: new URLSearchParams(choices) };
  };
  const keep = (name, value) => {
    const { section, choices } = split();
    if (value) choices.set(name, value); else choices.delete(name);
    const text = choices.toString();
    const hash = text ? `#${section || "cases"}?${text}` : section && `#${section}`;
    history.replaceState(null, "", hash || location.pathname);
  };
  const kept = split();
  if (kept.choices.size && byId(kept.section)) byId(kept.section).scrollIntoView();
  addEventListener("hashchange", (event) => {
    // A link to a section would drop the choices.
    const before = new URL(event.oldURL).hash.split("?")[1], now = split();
    if (before && !now.choices.size) history.replaceState(null, "", `#${now.section}?${before}`);
  });

  const field = byId("field");
  if (field) {
    const asked = [...field.options].find((one) => one.text === kept.choices.get("group"));
    if (asked) asked.selected = true;
    const show = () => {
      for (const table of document.querySelectorAll(".field")) table.hidden = table.id !== field.value;
    };
    field.addEventListener("change", () => {
      show();
      keep("group", field.selectedIndex ? field.selectedOptions[0].text : "");
    });
    show();
  }

  const list = byId("list");
  if (!list) return;
  const cases = [...list.children].map((item) => ({
    item,
    text: item.textContent.toLowerCase(),
    verdicts: item.dataset.verdicts.split(" "),
    fields: item.dataset.fields.split("\u001f"),
  }));
  const search = byId("search"), verdict = byId("verdict"), picked = byId("picked");
  const all = byId("all"), shown = byId("shown"), none = byId("none");
  let pick = kept.choices.get("pick") ?? "";
  search.value = kept.choices.get("q") ?? "";
  verdict.value = kept.choices.get("verdict") ?? "";
  if (verdict.selectedIndex < 0) verdict.value = "";

  const filter = () => {
    keep("q", search.value.trim());
    keep("verdict", verdict.value);
    keep("pick", pick);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let number = 0;
    for (const one of cases) {
      const fits = words.every((word) => one.text.includes(word))
        && (!verdict.value || one.verdicts.includes(verdict.value))
        && (!pick || one.fields.includes(pick));
      one.item.hidden = !fits;
      number += fits;
    }
    shown.textContent = `${number} of ${cases.length} cases shown`;
    none.hidden = number > 0;
    picked.hidden = !pick;
    picked.textContent = pick ? `${pick.replace("=", ": ")}  ✕` : "";
    picked.setAttribute("aria-label", pick ? `Remove the filter ${pick}` : "");
  };

  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 80);
  });
  search.form.addEventListener("submit", (event) => event.preventDefault());
  verdict.addEventListener("change", filter);
  picked.addEventListener("click", () => { pick = ""; filter(); search.focus(); });
  all.addEventListener("click", () => {
    const parts = cases.filter((one) => !one.item.hidden).map((one) => one.item.firstElementChild);
    const open = parts.some((part) => !part.open);
    for (const part of parts) part.open = open;
    all.textContent = open ? "Close all shown" : "Open all shown";
  });
  byId("reset").addEventListener("click", () => {
    search.value = verdict.value = pick = "";
    filter();
    search.focus();
  });

  const known = new Set(cases.flatMap((one) => one.fields));
  for (const button of document.querySelectorAll(".pick")) {
    if (!known.has(button.dataset.pick)) continue;
    button.disabled = false;
    button.title = "Show the cases of this group";
    button.addEventListener("click", () => {
      pick = button.dataset.pick;
      filter();
      byId("cases").scrollIntoView();
      search.focus({ preventScroll: true });
    });
  }
  filter();
})();
