// What no element can say: dropping a file, keys for the steps, copying. Nothing is sent elsewhere than to the own origin.
"use strict";

async function send(file, to, holder) {
  const problem = holder.querySelector("[data-problem]");
  problem.textContent = "";
  holder.classList.add("busy");
  try {
    const answer = await fetch(to, { method: "PUT", body: file, headers: { "x-name": encodeURIComponent(file.name) } });
    if (answer.ok) {
      location.assign(to === "/file" ? "/data" : location.href);
      return;
    }
    const told = await answer.json().catch(() => ({ error: answer.status === 413 ? "too large" : "refused" }));
    problem.textContent = told.error;
  } catch {
    problem.textContent = "too large, or the workbench has ended";
  }
  holder.classList.remove("busy");
}

const holderOf = (event) => event.target instanceof Element && event.target.closest("[data-drop]");

document.addEventListener("dragover", (event) => {
  if (holderOf(event)) {
    event.preventDefault();
    holderOf(event).classList.add("over");
  }
});
document.addEventListener("dragleave", (event) => holderOf(event) && holderOf(event).classList.remove("over"));
document.addEventListener("drop", (event) => {
  const holder = holderOf(event);
  if (holder && event.dataTransfer.files.length) {
    event.preventDefault();
    holder.classList.remove("over");
    send(event.dataTransfer.files[0], holder.dataset.drop, holder);
  }
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick]") && event.target.files.length) {
    send(event.target.files[0], event.target.dataset.pick, event.target.closest("[data-drop]"));
  }
});
let lastTick = -1;
const ticks = () => [...document.querySelectorAll("table input.tick")]; // those of columns; forms have others

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-ask-keys]")) {
    document.querySelector("[data-keys]").showModal();
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    const held = copy.closest(".card").querySelector("textarea, pre");
    navigator.clipboard.writeText(held.value ?? held.textContent).then(() => {
      copy.textContent = copy.dataset.copied;
    });
  }
  if (event.isTrusted && event.target.matches("table input.tick")) {
    const all = ticks();
    const at = all.indexOf(event.target);
    if (event.shiftKey && lastTick >= 0) {
      for (const one of all.slice(Math.min(at, lastTick), Math.max(at, lastTick) + 1)) {
        if (one.checked !== event.target.checked) one.click();
      }
    }
    lastTick = at;
  }
});
document.addEventListener("keydown", (event) => {
  const writing = event.target.matches("input:not([type=checkbox]), textarea, select");
  const control = (event.ctrlKey || event.metaKey) && !event.altKey;
  const again = event.key === "y" || (event.shiftKey && event.key === "Z");
  const turn = control && (again ? "[data-redo]" : event.key === "z" && "[data-undo]");
  const found = turn && document.querySelector(turn);
  if (found && !writing) {
    event.preventDefault();
    found.click();
  }
  if (control && event.key === "a" && !writing && ticks().length) {
    event.preventDefault();
    ticks().forEach((one) => one.checked || one.click());
  }
  if (event.key === "?" && !control && !writing) {
    document.querySelector("[data-keys]").showModal();
  }
  if (event.altKey && !event.ctrlKey && /^[1-8]$/.test(event.key)) {
    const step = document.querySelectorAll(".rail ol a")[Number(event.key) - 1];
    if (step) {
      event.preventDefault();
      step.click();
    }
  }
});
