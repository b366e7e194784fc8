// An instrument with a timeline in it: scene.view is what the timeline draws. Before a prediction it isn't shown.

import { widgetOf } from "./frame/dom.js";
import { stubModel } from "./frame/stub.js";
import { InstrumentView } from "./instrument.js";
import { TimelineView } from "./timeline.js";

export class TimelineInstrumentView extends InstrumentView {
  showViews({ view }) {
    this.askOnTheRight();
    this.views.hidden = this.veiled;
    const data = this.stored(view);
    if (this.veiled) return;
    const until = this.model.get("other")?.scene.view?.total_ns ?? 0;
    if (!this.inner) {
      this.inner = stubModel({ data, until, window: null, highlight: "" });
      this.timeline = new TimelineView(this.inner, this.views);
    }
    this.inner.set("until", until);
    this.inner.set("data", data);
  }

  destroy() {
    this.timeline?.destroy();
    super.destroy();
  }
}

export default widgetOf(TimelineInstrumentView);
