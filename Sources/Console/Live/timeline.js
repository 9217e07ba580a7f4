// Commits as bars, one beside the other; a slider goes through them.
import { element, svg } from '../Base/dom.js';
import { texts } from '../Page/texts.js';
import { dateText } from '../Data/value.js';

const height = 60, barWidth = 6;

export class Timeline {
  #commits = [];

  /** `choose` gets the version that is gone to. */
  constructor(choose) {
    this.drawing = svg('svg', { class: 'timeline', height, role: 'img', 'aria-label': texts.changes.timeline });
    this.slider = element('input', { type: 'range', min: '0', 'aria-label': texts.changes.timeline,
      on: { input: () => choose(this.#commits[Number(this.slider.value)]?.version) } });
    this.drawing.addEventListener('click', (event) => {
      const found = event.target.closest?.('[data-version]');
      if (found) choose(Number(found.dataset.version));
    });
    this.element = element('div', { class: 'timeline-box' }, this.drawing, this.slider);
  }

  show(commits, chosen) {
    this.#commits = commits;
    const width = Math.max(1, commits.length) * barWidth;
    this.drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.drawing.setAttribute('preserveAspectRatio', 'none');
    const most = Math.max(1, ...commits.map((commit) => commit.changes.length));
    this.drawing.replaceChildren(...commits.map((commit, index) => {
      const size = 6 + (height - 8) * Math.log1p(commit.changes.length) / Math.log1p(most);
      return svg('rect', { x: index * barWidth, y: height - size, width: barWidth - 1, height: size, 'data-version': commit.version,
        class: `bar ${commit.changes[0].operation}${commit.version === chosen ? ' chosen' : ''}` },
        svg('title', {}, `${commit.version} · ${commit.time ? dateText(commit.time) : ''} · ${texts.changes.count(commit.changes.length)}`));
    }));
    this.slider.max = String(Math.max(0, commits.length - 1));
    this.slider.value = String(chosen === undefined ? commits.length - 1 : commits.findIndex((commit) => commit.version === chosen));
    this.slider.setAttribute('aria-valuetext', texts.changes.commit(commits[Number(this.slider.value)]?.version ?? 0));
  }
}
