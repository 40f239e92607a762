//! A browser driven over WebDriver, which is HTTP and JSON on the loopback.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// One browser, closed when dropped.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Kept open: a driver that cannot print would end.
    _said: Lines<BufReader<ChildStdout>>,
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
        let told = |line: String| {
            line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok()
        };
        let Some(port) = lines.by_ref().map_while(Result::ok).find_map(told) else {
            let _ = driver.kill();
            let _ = driver.wait();
            return None;
        };
        let mut browser = Browser { driver, port, session: String::new(), _said: lines };
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
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": { "args": arguments },
        } } });
        let session = browser.call("POST", "/session", &wanted);
        browser.session = session["sessionId"].as_str().expect("a session").into();
        Some(browser)
    }

    /// One request. A browser that answers with an error is a failed test.
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let reply = self.ask(method, path, body).unwrap_or_else(|e| panic!("{path}: {e}"));
        let value: Value = serde_json::from_str(&reply).expect("JSON");
        let value = value["value"].clone();
        assert!(value.get("error").is_none(), "{path}: {value}");
        value
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> std::io::Result<String> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all((head + &body).as_bytes())?;
        // The driver keeps connections open: the length says where the reply ends.
        let (mut reply, mut length) = (BufReader::new(stream), 0);
        loop {
            let mut line = String::new();
            reply.read_line(&mut line)?;
            if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                length = number.trim().parse().unwrap_or(0);
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reply.read_exact(&mut body)?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    fn post(&self, path: &str, body: Value) -> Value {
        self.call("POST", &format!("/session/{}/{path}", self.session), &body)
    }

    /// Opens a file.
    pub fn open(&self, path: &Path) {
        self.post("url", json!({ "url": format!("file://{}", path.display()) }));
    }

    /// Runs the body of a function in the page and returns what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Waits until something is true in the page.
    pub fn wait_for(&self, condition: &str) {
        eventually(|| self.run(&format!("return !!({condition})")), json!(true), condition);
    }

    /// Makes the browser draw the window: without anyone looking it may put that off, and with it
    /// all that a page does once something has come into view.
    pub fn draw(&self) {
        self.post("goog/cdp/execute", json!({ "cmd": "Page.captureScreenshot", "params": {} }));
    }

    /// Presses and releases a key, as a person would, on whatever has the focus.
    pub fn press(&self, key: &str) {
        let key = match key {
            "Enter" => "\u{e007}",
            "Space" => " ",
            "Tab" => "\u{e004}",
            "Right" => "\u{e014}",
            "End" => "\u{e010}",
            "Escape" => "\u{e00c}",
            other => other,
        };
        let actions: Vec<Value> = key
            .chars()
            .flat_map(|c| {
                [json!({ "type": "keyDown", "value": c }), json!({ "type": "keyUp", "value": c })]
            })
            .collect();
        self.post(
            "actions",
            json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }),
        );
    }

    /// Moves the pointer to a place in the window.
    pub fn point(&self, x: i64, y: i64) {
        let moved = json!({ "type": "pointerMove", "duration": 0, "x": x, "y": y });
        self.post("actions", json!({ "actions": [
            { "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": [moved] }
        ] }));
    }

    /// Size of the window, in pixels of the style sheet, and the colour scheme people prefer.
    pub fn screen(&self, width: u32, height: u32, scheme: &str) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        for (cmd, params) in
            [("Emulation.setDeviceMetricsOverride", size), ("Emulation.setEmulatedMedia", media)]
        {
            self.post("goog/cdp/execute", json!({ "cmd": cmd, "params": params }));
        }
    }

    /// What the page has written to the console since the last call, errors of scripts included.
    pub fn console(&self) -> Vec<String> {
        let log = self.post("se/log", json!({ "type": "browser" }));
        log.as_array().into_iter().flatten().map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failed test: the browser must not outlive its driver.
        if !self.session.is_empty() {
            let _ = self.ask("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
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
