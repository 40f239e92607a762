//! The page in a browser: what it shows, what it does, how long it takes, whom it serves.

use super::{Quoted, REPORTS, misquoted, sources};
use crate::browser::{Browser, eventually};

use deferlab::claims::page_notes;
use deferlab::report::page;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What is wrong with a page, as the browser sees it: console, numbers, time to load, width.
fn problems(browser: &Browser, path: &Path, sources: &BTreeMap<String, Value>) -> Vec<String> {
    browser.screen(1280, 900, "light");
    browser.open(path);
    let numbers = browser.run(
        "return [...document.querySelectorAll('data[data-at]')].map((d) => \
         [d.closest('[data-file]').dataset.file, d.closest('[data-base]').dataset.base + '/' + d.dataset.at, d.value, d.textContent])",
    );
    let numbers: Vec<Quoted> = serde_json::from_value(numbers).unwrap();
    assert!(numbers.len() > 2000);
    let mut found = misquoted(&numbers, sources);
    found.extend(too_slow(browser, path));
    found.extend(too_wide(browser));
    found.extend(browser.console());
    found
}

/// Whether the page takes a second or more to load, counted in the time of the processor: the machine
/// may be busy with something else.
fn too_slow(browser: &Browser, path: &Path) -> Option<String> {
    let took = browser.work_of_loading(path);
    (took >= 1.0).then(|| format!("the page took {took:.2} seconds to load"))
}

/// Whether the page is wider than the screen of a phone.
fn too_wide(browser: &Browser) -> Option<String> {
    browser.screen(360, 740, "light");
    let wide = browser.run("return document.scrollingElement.scrollWidth").as_u64().unwrap();
    (wide > 360).then(|| format!("the page is {wide} pixels wide on a screen of 360"))
}

#[test]
fn a_browser_shows_and_works_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::start(&folder.path().join("profile")) else {
        eprintln!("skipped: there is no chromium with a chromedriver on this machine");
        return;
    };
    let sources = sources();
    let page = page(Path::new(REPORTS), &page_notes()).unwrap();
    let good = folder.path().join("good.html");
    std::fs::write(&good, &page).unwrap();
    assert_eq!(problems(&browser, &good, &sources), [""; 0]);
    // Every figure drawn and everything open, so that nothing wide or wrong can hide.
    browser.run(
        "dispatchEvent(new Event('beforeprint')); document.querySelector('#open-all').click(); \
         document.querySelectorAll('details').forEach((d) => d.open = true)",
    );
    browser.wait_for(
        "[...document.querySelectorAll('.values')].every((v) => v.querySelector('table'))",
    );
    assert_eq!(too_wide(&browser), None);
    tables_hold_the_series(&browser, &sources);
    browser.screen(1280, 900, "light");
    browser.open(&good);
    the_ledger_works(&browser, &sources["ledger.json"]);
    figures_work(&browser, &sources);
    maps_work(&browser, &sources);
    themes_work(&browser);
    it_is_short(&browser, &good);
    the_first_screen_answers(&browser, &good);
    two_clicks_lead_to_the_proof(&browser, &good);
    everybody_can_use_it(&browser, &good);
    assert_eq!(browser.console(), [""; 0]);

    let bad = folder.path().join("bad.html");
    let spoilt = page.replacen("data value=\"", "data value=\"9", 1).replacen(
        "</main>",
        "<div style=\"width:500px\">wide</div></main><script>const start = performance.now(); \
         while (performance.now() - start < 3000); throw new Error('spoilt')</script>",
        1,
    );
    std::fs::write(&bad, spoilt).unwrap();
    let found = problems(&browser, &bad, &sources).join("\n");
    for part in ["the page has 9", "seconds to load", "pixels wide on a screen of 360", "spoilt"] {
        assert!(found.contains(part), "{part} went unseen: {found}");
    }
}

/// The table behind each figure has every number of its series, in full.
fn tables_hold_the_series(browser: &Browser, sources: &BTreeMap<String, Value>) {
    let shown = browser.run(
        "return [...document.querySelectorAll('article .chart')].map((c) => [c.dataset.report, c.dataset.figure, \
         [...c.querySelectorAll('.values td data')].map((d) => d.value)])",
    );
    let shown: Vec<(String, String, Vec<String>)> = serde_json::from_value(shown).unwrap();
    assert!(!shown.is_empty());
    for (report, id, values) in shown {
        let figure = match sources.get(&format!("{report}/report.json")) {
            Some(report) => report["figures"].as_array().unwrap().iter().find(|f| f["id"] == *id),
            None => sources.get(&report),
        };
        let figure = figure.unwrap();
        // A map has no lines; its panels are counted below.
        if !figure["panels"].is_null() {
            continue;
        }
        let bits = |v: f64| v.to_bits();
        let mut expected: Vec<u64> = Vec::new();
        for line in figure["lines"].as_array().unwrap() {
            let all = |v: &Value| -> Vec<u64> {
                let flat = v.as_array().into_iter().flatten();
                flat.filter_map(Value::as_f64).map(bits).collect()
            };
            expected.extend(all(&line["y"]));
            line["band"].as_array().into_iter().flatten().for_each(|b| expected.extend(all(b)));
        }
        let mut found: Vec<u64> = values.iter().map(|v| bits(v.parse().unwrap())).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert!(found == expected, "{report} {id}: {} {}", found.len(), expected.len());
    }
}

fn the_ledger_works(browser: &Browser, ledger: &Value) {
    let claims = ledger["claims"].as_array().unwrap();
    let ids = |keep: &dyn Fn(&Value) -> bool| -> Vec<String> {
        let kept = claims.iter().filter(|c| keep(c));
        kept.map(|c| c["id"].as_str().unwrap().to_string()).collect()
    };
    let visible = || -> Vec<String> {
        let list = browser.run(
            "return [...document.querySelectorAll('.claim')].filter((c) => c.offsetHeight).map((c) => c.id)",
        );
        serde_json::from_value(list).unwrap()
    };
    let click =
        |selector: &str| browser.run(&format!("document.querySelector('{selector}').click()"));
    // At first what does not stand is shown; everything is one button away.
    let refuted = ["Fails", "Inconsistent", "Vacuous"];
    eventually(visible, ids(&|c| refuted.iter().any(|v| c["verdict"] == *v)), "rows at first");
    click("#reset");
    eventually(visible, ids(&|_| true), "all rows");
    for verdict in ["Proved", "Fails", "Vacuous", "Inconsistent"] {
        for owner in ["paper", "project"] {
            let count = claims.iter().filter(|c| c["verdict"] == verdict && c["owner"] == owner);
            let count = count.count();
            let shown = browser.run(&format!(
                "const cell = document.querySelector('.owners [data-owner={owner}] [data-count={verdict}]'); \
                 return cell ? cell.textContent : '0'"
            ));
            assert_eq!(shown, count.to_string(), "{owner} {verdict}");
        }
        let expected = ids(&|c| c["verdict"] == verdict);
        let chip = format!(".chip[data-verdict={}]", verdict.to_lowercase());
        click(&chip);
        eventually(visible, expected.clone(), "rows");
        let said = browser.run("return document.querySelector('#shown').textContent");
        assert_eq!(said, format!("{} of {} claims", expected.len(), claims.len()));
        click(&chip);
    }
    eventually(visible, ids(&|_| true), "rows");
    // A number of the first screen leads to its claims, and the address keeps what was chosen.
    click(".owners [data-owner=paper] [data-count=Fails]");
    eventually(visible, ids(&|c| c["verdict"] == "Fails" && c["owner"] == "paper"), "rows");
    click(".chip[data-verdict=fails]");
    let address = browser.run("return location.hash").as_str().unwrap().to_string();
    assert_eq!(address, "#ledger?owner=paper&v=");
    click("#reset");

    // Words typed with the keyboard; then a link to a claim that they filter away.
    browser.run("document.querySelector('#find').focus()");
    browser.press("gamma-sum-sq");
    eventually(visible, vec!["gamma-sum-sq".to_string()], "rows");
    browser.run("location.hash = '#thm-6.5'");
    browser.wait_for("document.getElementById('thm-6.5').classList.contains('opened')");
    eventually(visible, ids(&|_| true), "rows");
    let open = "document.querySelector('#story-' + document.getElementById('thm-6.5').dataset.index).offsetHeight > 40";
    browser.wait_for(open);
    // The link put the focus on the row: the keyboard closes and opens it.
    browser.press("Enter");
    browser.wait_for(&format!("!({open})"));
    browser.press("Space");
    browser.wait_for(open);
    let story = browser.run("return document.getElementById('thm-6.5').innerText");
    let story = story.as_str().unwrap();
    for part in ["deferlab verify --claim thm-6.5 --seed", "Assumes", "Evidence"] {
        assert!(story.contains(part), "{part} is missing in {story}");
    }

    let ranks = || -> Vec<i64> {
        let list = browser.run(
            "return [...document.querySelectorAll('.claim')].map((c) => Number(c.dataset.rank))",
        );
        serde_json::from_value(list).unwrap()
    };
    assert!(!ranks().is_sorted());
    click("[data-sort=rank]");
    eventually(|| ranks().is_sorted(), true, "rows by verdict");
    click("[data-sort=rank]");
    eventually(|| ranks().iter().rev().is_sorted(), true, "rows the other way");
    click("[data-sort=id]");
    eventually(|| visible().is_sorted(), true, "rows by name");
    click("[data-sort=index]");
    eventually(visible, ids(&|_| true), "rows");
    // Search over everything: a term of the glossary, opened although its list is closed.
    browser.run("document.querySelector('#search').focus()");
    browser.press("minimizability gap");
    browser.wait_for("document.querySelector('#results [href=\"#term-minimizability-gap\"]')");
    click("#results [href=\"#term-minimizability-gap\"]");
    browser.wait_for("document.querySelector('#terms').open");
}

/// Follows every eighth link and returns those whose target is not at the top of the window.
const FOLLOW_LINKS: &str = "const targets = [...new Set([...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.getAttribute('href')))] \
       .filter((t) => !t.includes('?')).filter((t, i) => i % 8 === PART); \
     const frame = () => new Promise((done) => setTimeout(done, 28)); \
     return (async () => { \
       const missed = []; \
       for (const target of targets) { \
         location.hash = target; await frame(); await frame(); \
         const node = document.getElementById(decodeURIComponent(target.slice(1))); \
         const { top } = node.getBoundingClientRect(); \
         const room = document.scrollingElement.scrollHeight - scrollY - innerHeight; \
         if ((top < -4 || top > 140) && room > 4) missed.push([target, Math.round(top)]); \
       } \
       return missed; \
     })()";

/// Every link of the page, followed at three widths, ends with its target at the top of the window.
#[test]
fn links_land_where_they_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, page(Path::new(REPORTS), &page_notes()).unwrap()).unwrap();
    let follow = |width: u32, height: u32| {
        let profile = folder.path().join(width.to_string());
        // Whoever has no browser is told by the other test.
        let Some(browser) = Browser::start(&profile) else { return };
        browser.screen(width, height, "light");
        browser.open(&path);
        // A browser ignores more than 200 changes of the address in ten seconds: one in 55 ms, in eight
        // parts, each well within the time limit of a script.
        for part in 0..8 {
            let script = FOLLOW_LINKS.replace("PART", &part.to_string());
            let missed = browser.run(&script);
            assert_eq!(missed, json!([]), "links at a width of {width}");
        }
    };
    // Half of it is waiting, so three browsers are done before one would be.
    std::thread::scope(|threads| {
        for (width, height) in [(1280, 900), (768, 1000), (360, 740)] {
            threads.spawn(move || follow(width, height));
        }
    });
}

/// Before anything is opened the page is at most twelve screens long.
fn it_is_short(browser: &Browser, path: &Path) {
    browser.screen(1280, 900, "light");
    browser.open(path);
    let tall = browser.run("return document.scrollingElement.scrollHeight").as_u64().unwrap();
    assert!(tall <= 12 * 900, "{tall} pixels");
}

/// Counts, replication and findings begin on the first screen, in this order; figures stay in their cards.
fn the_first_screen_answers(browser: &Browser, path: &Path) {
    for (width, height) in [(1280, 900), (768, 1000), (360, 740)] {
        browser.screen(width, height, "light");
        browser.open(path);
        let outside = browser.run(
            "return [...document.querySelectorAll('.cards .experiment > .chart .canvas')].filter((c) => \
             [c, c.querySelector('svg')].some((n) => n.getBoundingClientRect().right > \
             c.closest('article').getBoundingClientRect().right + 1)).length",
        );
        assert_eq!(outside, 0, "figures that stick out of their card at a width of {width}");
        let tops = browser.run(
            "return ['.owners', '#replication', '.findings'].map((s) => \
             Math.round(document.querySelector(s).getBoundingClientRect().top))",
        );
        let tops: Vec<i64> = serde_json::from_value(tops).unwrap();
        assert!(tops.is_sorted(), "{tops:?}");
        assert!(width < 1280 || tops[2] < 900, "{tops:?}");
    }
}

/// From the first screen, one click shows what the paper says and where, the witness and the source of
/// the check; the next one the proof.
fn two_clicks_lead_to_the_proof(browser: &Browser, path: &Path) {
    browser.screen(1280, 900, "light");
    browser.open(path);
    browser.run("document.querySelector('.findings .more a').click()");
    browser.wait_for("document.querySelector('.claim.opened .story')");
    let story = browser.run("return document.querySelector('.claim.opened').innerText");
    let story = story.as_str().unwrap();
    for part in ["In the paper", "Sec. 1", "Witness", "Proof", "src/claims/", "verify --claim"] {
        assert!(story.contains(part), "{part} is missing in {story}");
    }
    browser.run("document.querySelector('.claim.opened a[href^=\"#theorem-\"]').click()");
    browser.wait_for(
        "[...document.querySelectorAll('details.proof[open] pre')].some((p) => p.offsetHeight > 0)",
    );
}

/// The rules of axe-core, where `DEFERLAB_AXE` names its script, in both themes and at three widths.
fn everybody_can_use_it(browser: &Browser, path: &Path) {
    let Some(axe) = std::env::var_os("DEFERLAB_AXE") else {
        eprintln!("skipped: DEFERLAB_AXE does not name a copy of axe.min.js");
        return;
    };
    let axe = std::fs::read_to_string(&axe).unwrap_or_else(|e| panic!("{axe:?}: {e}"));
    for scheme in ["light", "dark"] {
        for (width, height) in [(1280, 900), (768, 1000), (360, 740)] {
            browser.screen(width, height, scheme);
            browser.open(path);
            let found = browser.run(&format!(
                "{axe}\nreturn axe.run(document, {{ resultTypes: ['violations'] }}).then((r) => \
                 r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)]))"
            ));
            assert_eq!(found, json!([]), "{scheme} at a width of {width}");
        }
    }
}

fn figures_work(browser: &Browser, sources: &BTreeMap<String, Value>) {
    let figure = &sources["rates/report.json"]["figures"][0];
    let lines = figure["lines"].as_array().unwrap();
    let chart = format!("document.querySelector('#plot-rates-{}')", figure["id"].as_str().unwrap());
    browser.run("location.hash = '#report-rates'");
    browser.run("document.querySelector('#report-rates .whole').open = true");
    let come_into_view = || {
        browser.run(&format!("{chart}.scrollIntoView({{ behavior: 'instant', block: 'center' }})"));
        browser.draw();
        browser.run(&format!("return !!{chart}.querySelector('.canvas svg')"))
    };
    eventually(come_into_view, true.into(), "a figure in view");
    let drawn = || {
        browser.run(&format!("return {chart}.querySelectorAll('.canvas .line').length")).as_u64()
    };
    let all = Some(lines.len() as u64);
    eventually(drawn, all, "lines");
    browser.run(&format!("{chart}.querySelector('.key').focus()"));
    browser.press("Space");
    eventually(drawn, all.map(|n| n - 1), "lines");
    browser.press("Enter");
    eventually(drawn, all, "lines");

    let labels =
        || browser.run(&format!("return {chart}.querySelector('.canvas svg').textContent"));
    let logarithmic = labels();
    browser.run(&format!("{chart}.querySelector('[data-axis=y]').click()"));
    eventually(|| labels() != logarithmic, true, "a linear axis");
    browser.run(&format!("{chart}.querySelector('[data-axis=y]').click()"));
    eventually(labels, logarithmic.clone(), "a logarithmic axis");

    // The arrow keys read the first and the last points; Escape puts the figure to rest.
    let read = || -> Vec<f64> {
        let list = browser.run(&format!(
            "return [...{chart}.querySelectorAll('.readout data')].map((d) => Number(d.value))"
        ));
        serde_json::from_value(list).unwrap()
    };
    let expected = |i: usize| -> Vec<f64> {
        let number = |v: &Value| v.as_f64().unwrap();
        let mut all = vec![number(&lines[0]["x"][i])];
        for line in lines {
            all.push(number(&line["y"][i]));
            all.extend(
                line["band"].get(i).into_iter().flat_map(|b| [number(&b[0]), number(&b[1])]),
            );
        }
        all
    };
    browser.run(&format!("{chart}.querySelector('.canvas').focus()"));
    browser.press("Right");
    eventually(read, expected(0), "values");
    browser.press("End");
    eventually(read, expected(lines[0]["x"].as_array().unwrap().len() - 1), "values");
    browser.press("Escape");
    eventually(read, vec![], "values");
    // The pointer finds values too.
    let hover = || {
        let place = browser.run(&format!(
            "const r = {chart}.querySelector('.canvas').getBoundingClientRect(); \
             return [Math.round(r.x + r.width / 2), Math.round(r.y + r.height / 2)]"
        ));
        browser.point(place[0].as_i64().unwrap(), place[1].as_i64().unwrap());
        read().len()
    };
    // Figures around it may still be drawn and move it.
    eventually(hover, expected(0).len(), "values under the pointer");
    browser.point(5, 5);
    eventually(read, vec![], "values");
}

/// The map is drawn from its data, in the colours of the page, and the arrow keys read its cells.
fn maps_work(browser: &Browser, sources: &BTreeMap<String, Value>) {
    let map = &sources["audit-phase.json"];
    let panels = map["panels"].as_array().unwrap();
    assert_eq!(browser.run("return document.querySelectorAll('img.drawn').length"), 0);
    browser
        .run("document.querySelector('.chart[data-figure=phase]').closest('details').open = true");
    let drawn = || browser.run("return document.querySelectorAll('.map').length");
    eventually(drawn, panels.len().into(), "panels");
    let colour = || browser.run("return getComputedStyle(document.querySelector('.heat')).fill");
    let light = colour();
    browser.screen(1280, 900, "dark");
    eventually(|| colour() != light, true, "a colour for dark paper");
    browser.screen(1280, 900, "light");
    let said = || {
        let text =
            browser.run("return document.querySelector('.map').parentNode.nextSibling.innerText");
        text.as_str().unwrap().trim().rsplit(' ').next().unwrap_or_default().to_owned()
    };
    let cell = |row: usize, column: usize| {
        let digits = &panels[0]["rows"][row].as_str().unwrap()[2 * column..2 * column + 2];
        let share = f64::from(u32::from_str_radix(digits, 36).unwrap()) / 1295.0;
        share * map["darkest"].as_f64().unwrap()
    };
    let is = |row: usize, column: usize| {
        let (shown, stored) = (said().parse::<f64>().unwrap_or(f64::NAN), cell(row, column));
        (shown - stored).abs() <= 0.051 * stored
    };
    browser.run("document.querySelector('.map').focus()");
    for key in ["Right", "Right", "Up", "Up"] {
        browser.press(key);
    }
    eventually(|| is(2, 1), true, "the cell");
    assert!(!is(39, 20), "another cell");
    browser.press("Escape");
    eventually(said, String::new(), "nothing");
}

fn themes_work(browser: &Browser) {
    let paper = || browser.run("return getComputedStyle(document.body).backgroundColor");
    let light = paper();
    browser.screen(1280, 900, "dark");
    eventually(|| paper() != light, true, "dark paper");
    let dark = paper();
    let press = || browser.run("document.querySelector('#theme').click()");
    press();
    eventually(paper, light.clone(), "paper");
    press();
    eventually(paper, dark.clone(), "paper");
    press();
    browser.screen(1280, 900, "light");
    eventually(paper, light.clone(), "paper");
}
