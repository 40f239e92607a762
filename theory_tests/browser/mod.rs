//! A browser driven over WebDriver, on the loopback. Tests are plain functions, so every call waits for
//! its answer.

use fantoccini::actions::{InputSource, KeyAction, KeyActions, MouseActions, PointerAction};
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// One browser, closed when dropped.
pub struct Browser {
    driver: Child,
    /// Runs the client's requests.
    runtime: Runtime,
    client: Client,
    /// Kept open: a driver that cannot print would end.
    _said: Lines<BufReader<ChildStdout>>,
}

/// A command of the driver that the standard does not have.
#[derive(Debug)]
struct Vendor {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Vendor {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

/// How long anything may take. A healthy page needs a fraction of a second; the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// Names under which distributions install it.
const DRIVERS: [&str; 2] = ["chromedriver", "/usr/lib/chromium/chromedriver"];
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn found(name: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    Path::new(name).is_file() || std::env::split_paths(&paths).any(|p| p.join(name).is_file())
}

impl Browser {
    /// Starts a browser without a window; `None` when there is none to start.
    pub fn start(profile: &Path) -> Option<Browser> {
        let driver = DRIVERS.into_iter().find(|d| found(d))?;
        BROWSERS.into_iter().find(|b| found(b))?;
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(driver.stdout.take()?).lines();
        let told = |line: String| -> Option<u16> {
            line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok()
        };
        let Some(port) = lines.by_ref().map_while(Result::ok).find_map(told) else {
            let _ = driver.kill();
            let _ = driver.wait();
            return None;
        };
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // Containers often have little shared memory.
            "--disable-dev-shm-usage",
        ];
        let mut arguments: Vec<String> = flags.map(String::from).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.display()));
        let mut wanted = Capabilities::new();
        wanted.insert("goog:loggingPrefs".into(), json!({ "browser": "ALL" }));
        wanted.insert("goog:chromeOptions".into(), json!({ "args": arguments }));
        let runtime = Runtime::new().expect("a runtime");
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(wanted);
        let client = runtime.block_on(builder.connect(&format!("http://127.0.0.1:{port}")));
        let client = client.expect("a session");
        Some(Browser { driver, runtime, client, _said: lines })
    }

    fn vendor(&self, path: &'static str, body: Value) -> Value {
        let answer = self.runtime.block_on(self.client.issue_cmd(Vendor { path, body }));
        answer.unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// Opens a file.
    pub fn open(&self, path: &Path) {
        let url = format!("file://{}", path.display());
        self.runtime.block_on(self.client.goto(&url)).expect("a page");
    }

    /// Opens a file and says how many seconds of a processor the page took until it was loaded.
    pub fn work_of_loading(&self, path: &Path) -> f64 {
        let enable =
            json!({ "cmd": "Performance.enable", "params": { "timeDomain": "threadTicks" } });
        self.vendor("goog/cdp/execute", enable);
        self.open(path);
        let metrics = json!({ "cmd": "Performance.getMetrics", "params": {} });
        let answer = self.vendor("goog/cdp/execute", metrics);
        let metrics = answer["metrics"].as_array().expect("metrics");
        let work =
            metrics.iter().find(|m| m["name"] == "TaskDuration").expect("the work of the page");
        work["value"].as_f64().expect("seconds")
    }

    /// Runs the body of a function in the page and returns what it returns.
    pub fn run(&self, script: &str) -> Value {
        let answer = self.runtime.block_on(self.client.execute(script, Vec::new()));
        answer.unwrap_or_else(|e| panic!("{script}: {e}"))
    }

    /// Waits until something is true in the page.
    pub fn wait_for(&self, condition: &str) {
        eventually(|| self.run(&format!("return !!({condition})")), json!(true), condition);
    }

    /// Makes the browser draw the window: without anyone looking it may put that off, and with it
    /// all that a page does once something has come into view.
    pub fn draw(&self) {
        self.vendor("goog/cdp/execute", json!({ "cmd": "Page.captureScreenshot", "params": {} }));
    }

    /// Presses and releases a key, as a person would, on whatever has the focus.
    pub fn press(&self, key: &str) {
        let key = match key {
            "Enter" => "\u{e007}",
            "Space" => " ",
            "Tab" => "\u{e004}",
            "Right" => "\u{e014}",
            "Up" => "\u{e013}",
            "End" => "\u{e010}",
            "Escape" => "\u{e00c}",
            other => other,
        };
        let keys = key.chars().fold(KeyActions::new("keys".into()), |keys, value| {
            keys.then(KeyAction::Down { value }).then(KeyAction::Up { value })
        });
        self.runtime.block_on(self.client.perform_actions(keys)).expect("a key");
    }

    /// Moves the pointer to a place in the window.
    pub fn point(&self, x: i64, y: i64) {
        let duration = Some(Duration::ZERO);
        let moved = PointerAction::MoveTo { duration, x: x as f64, y: y as f64 };
        let mouse = MouseActions::new("mouse".into()).then(moved);
        self.runtime.block_on(self.client.perform_actions(mouse)).expect("a move");
    }

    /// Size of the window, in pixels of the style sheet, and the colour scheme people prefer.
    pub fn screen(&self, width: u32, height: u32, scheme: &str) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        for (cmd, params) in
            [("Emulation.setDeviceMetricsOverride", size), ("Emulation.setEmulatedMedia", media)]
        {
            self.vendor("goog/cdp/execute", json!({ "cmd": cmd, "params": params }));
        }
    }

    /// What the page has written to the console since the last call, errors of scripts included.
    pub fn console(&self) -> Vec<String> {
        let log = self.vendor("se/log", json!({ "type": "browser" }));
        log.as_array().into_iter().flatten().map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failed test: the browser must not outlive its driver.
        let _ = self.runtime.block_on(self.client.clone().close());
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Looks again and again until what is seen is what is expected: pages react when they get to it.
pub fn eventually<T: PartialEq + std::fmt::Debug>(see: impl Fn() -> T, expected: T, what: &str) {
    let start = Instant::now();
    loop {
        let seen = see();
        if seen == expected {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{what}: {seen:?} instead of {expected:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
