"""Faults in the link player."""

from tools.mutants.fault import Fault

NODE = "tests/js/link_player.test.js::"
SEEN = "tests/browser/test_link_player_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/link_player"
CSS = f"{WIDGETS}/static/link_player.css"
DRAWN = f"{SEEN}every_link_is_drawn_from_its_tail_to_its_head"
MESSAGES = f"{SEEN}messages_are_as_far_on_their_link_as_time_has_passed"
STRONGER = f"{SEEN}links_are_the_stronger_the_more_they_send_and_dashed_while_idle"
WAIT = f"{SEEN}the_number_of_those_that_wait_stands_at_the_beginning_of_their_link"
BUSIEST = f"{SEEN}the_table_has_the_busiest_first_with_bars_as_long_as_their_shares"
LOST = f"{SEEN}a_lost_packet_is_a_cross_at_the_beginning_of_its_link_for_a_moment"
LEGEND = f"{SEEN}the_legend_shows_what_is_drawn"
LOAD = f"{SEEN}behind_the_slider_is_the_share_of_links_that_send"
FOLLOWED = f"{SEEN}the_followed_link_is_orange_and_said"
SAID = f"{SEEN}what_is_said_of_a_time"
STAND = f"{SEEN}the_nodes_of_a_ring_stand_round_and_a_switch_above_what_it_joins"

FAULTS = [
    Fault(
        "links: messages fly from the receiver to the sender",
        f"{JS}/network.js",
        "const [a, b, c] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];",
        "const [c, b, a] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];",
        f"{NODE}a message is on its link's curve, the number of those that wait beside its beginning",
    ),
    Fault(
        "links: links lead from head to tail, and so do their messages",
        f"{WIDGETS}/network_layout.py",
        "a, b = places[link[0]], places[link[1]]",
        "a, b = places[link[1]], places[link[0]]",
        MESSAGES,
    ),
    Fault(
        "links: both directions are drawn on each other's side",
        f"{JS}/network.js",
        "`M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}`",
        "`M${x2} ${y2}Q${cx} ${cy} ${x1} ${y1}`",
        equivalent="the same curve from its other end; no link has a head, and its colour stays with it",
    ),
    Fault(
        "links: NPUs are counted from 1",
        f"{JS}/network.js",
        'class: "astra-plain", x, y: y + 4, text: name }',
        'class: "astra-plain", x, y: y + 4, text: Number(name) + 1 }',
        DRAWN,
    ),
    Fault(
        "links: a message is as far as what is left of its time",
        f"{JS}/traffic.js",
        "underWay.push((time - start[k]) / (end[k] - start[k]))",
        "underWay.push((end[k] - time) / (end[k] - start[k]))",
        f"{NODE}what a link does at a time",
    ),
    Fault(
        "links: messages are gone when their link is free again",
        f"{JS}/traffic.js",
        "k >= 0 && end[k] > time",
        "k >= 0 && free[k] > time",
        MESSAGES,
    ),
    Fault(
        "links: messages are drawn on the next link",
        f"{JS}/network.js",
        "pointOn(this.data.links[i], share)",
        "pointOn(this.data.links[(i + 1) % states.length], share)",
        MESSAGES,
    ),
    Fault(
        "links: messages hang below and right of their place",
        f"{JS}/network.js",
        "M${(x - TOKEN / 2).toFixed(1)} ${(y - TOKEN / 2).toFixed(1)}",
        "M${x.toFixed(1)} ${y.toFixed(1)}",
        MESSAGES,
    ),
    Fault(
        "links: busy links are dashed, idle ones aren't",
        f"{JS}/network.js",
        '${sending ? "" : " astra-idle"}',
        '${sending ? " astra-idle" : ""}',
        STRONGER,
    ),
    Fault("links: idle links have lost their dashes", CSS, "stroke-dasharray: 3 4;", "", STRONGER),
    Fault(
        "links: the busier, the thinner",
        f"{JS}/network.js",
        "1.2 + 4.3 * share +",
        "5.5 - 4.3 * share +",
        STRONGER,
    ),
    Fault(
        "links: the busier, the paler",
        f"{JS}/network.js",
        "Math.ceil(5 * share - 1e-9)",
        "Math.ceil(5 * (1 - share) - 1e-9)",
        f"{NODE}shades are fifths, rounded up",
    ),
    Fault(
        "links: a link waits for what it already sends",
        f"{JS}/traffic.js",
        "waiting: upTo(queued, time) - begun",
        "waiting: upTo(queued, time) - begun + 1",
        f"{NODE}what a link does at a time",
    ),
    Fault(
        "links: the number of those that wait stands at the link's end",
        f"{JS}/network.js",
        "return [x1 + 0.2 * (x2 - x1) + away * across, y1 + 0.2 * (y2 - y1) - away * along + 4];",
        "return [x2 + 0.2 * (x1 - x2) + away * across, y2 + 0.2 * (y1 - y2) - away * along + 4];",
        WAIT,
    ),
    Fault(
        "links: numbers stand at the next link",
        f"{JS}/network.js",
        "put(this.waiting[i],",
        "put(this.waiting[(i + 1) % this.waiting.length],",
        WAIT,
    ),
    Fault(
        "links: the table has the idlest first",
        f"{JS}/busiest.js",
        "states[b].share - states[a].share || a - b",
        "states[a].share - states[b].share || a - b",
        BUSIEST,
    ),
    Fault(
        "links: names and shares of different links in a row",
        f"{JS}/busiest.js",
        'put(name, "text", this.links[i][2]);',
        'put(name, "text", this.links[place][2]);',
        BUSIEST,
    ),
    Fault(
        "links: what waits stands below sends",
        f"{JS}/busiest.js",
        '"busy", "sends", "waiting"]',
        '"busy", "waiting", "sends"]',
        BUSIEST,
    ),
    Fault(
        "links: bars as long as what is left of the time",
        f"{JS}/busiest.js",
        "`--astra-level:${state.share.toFixed(3)}`",
        "`--astra-level:${(1 - state.share).toFixed(3)}`",
        BUSIEST,
    ),
    Fault(
        "links: a busy link is said to be idle",
        f"{JS}/busiest.js",
        'state.sending ? bytes(state.sending) : "–"',
        'state.sending ? "–" : bytes(state.sending)',
        BUSIEST,
    ),
    Fault(
        "links: the share is of the whole run, not of the time so far",
        f"{JS}/traffic.js",
        "share: time ? used / time : 0",
        "share: used / this.total",
        BUSIEST,
    ),
    Fault(
        "links: a loss is seen at the far end",
        f"{JS}/network.js",
        "const cross = ([, , , x, y]) =>",
        "const cross = ([, , , , , , , x, y]) =>",
        LOST,
    ),
    Fault(
        "links: losses are seen before they happen",
        f"{JS}/network.js",
        "at <= time && at > time - LOSS * total",
        "at > time && at < time + LOSS * total",
        LOST,
    ),
    Fault(
        "links: a loss is on the wrong link",
        f"{JS}/network.js",
        "now.map(([i]) => cross(links[i]))",
        "now.map(([i]) => cross(links[(i + 1) % links.length]))",
        LOST,
    ),
    Fault(
        "links: the legend's idle link has no dashes",
        f"{JS}/network.js",
        'class: "astra-link astra-idle", d: "M2 7h40"',
        'class: "astra-link", d: "M2 7h40"',
        LEGEND,
    ),
    Fault(
        "links: the legend's shades are one too strong",
        f"{JS}/network.js",
        "strokeOf(level / 5)",
        "strokeOf((level - 1) / 5)",
        LEGEND,
    ),
    Fault(
        "links: the load behind the slider is upside down",
        f"{JS}/network.js",
        "`L${k} ${1 - share}L${k + 1} ${1 - share}`",
        "`L${k} ${share}L${k + 1} ${share}`",
        LOAD,
    ),
    Fault(
        "links: the load is of busy and flying messages",
        f"{WIDGETS}/link_player.py",
        "(use.free_ns, -1)",
        "(use.end_ns, -1)",
        LOAD,
    ),
    Fault(
        "links: another link than the chosen one is marked",
        f"{JS}/network.js",
        "this.#drawLink(i, state, i === followed)",
        "this.#drawLink(i, state, i === followed + 1)",
        FOLLOWED,
    ),
    Fault(
        "links: the words are of the first link, not of the chosen one",
        f"{JS}/busiest.js",
        "waiting: many, share } = states[followed];",
        "waiting: many, share } = states[0];",
        f"{NODE}what is said of a time, with the link that is followed",
    ),
    Fault(
        "links: idle links are counted as sending",
        f"{JS}/busiest.js",
        "states.filter((state) => state.sending).length",
        "states.filter((state) => !state.sending).length",
        SAID,
    ),
    Fault(
        "links: the most that wait are said to be the fewest",
        f"{JS}/busiest.js",
        "state.waiting > states[best].waiting",
        "state.waiting < states[best].waiting",
        SAID,
    ),
    Fault(
        "links: spines stand below the switches that they join",
        f"{WIDGETS}/network_layout.py",
        "places[node] = (x, -0.5 * level)",
        "places[node] = (x, 0.5 * level)",
        STAND,
    ),
    Fault(
        "links: switches stand above each other's NPUs",
        f"{WIDGETS}/network_layout.py",
        "order = sorted(layer, key=lambda node: wanted[node])",
        "order = sorted(layer, key=lambda node: -wanted[node])",
        STAND,
    ),
]
