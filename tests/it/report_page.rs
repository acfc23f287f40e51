//! The page of a report in a real browser: two lanes, light and dark, nothing from outside.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use checkrein_testkit::Place;

use crate::report::leave_run;

const WIDTH: usize = 1000;
const HEIGHT: usize = 900;

/// The lanes' edges, as the page's style names them.
struct Look {
    preference: &'static str,
    page: [u8; 3],
    told: [u8; 3],
    happened: [u8; 3],
}

const LOOKS: [Look; 2] = [
    Look {
        preference: "1",
        page: [0xff, 0xff, 0xff],
        told: [0x1f, 0x6f, 0xeb],
        happened: [0x82, 0x50, 0xdf],
    },
    Look {
        preference: "0",
        page: [0x0d, 0x11, 0x17],
        told: [0x44, 0x93, 0xf8],
        happened: [0xab, 0x7d, 0xf8],
    },
];

/// The lanes are taller than this: a heading and several calls.
const LANE_HEIGHT: usize = 120;

#[test]
fn the_page_shows_what_was_told_beside_what_happened() {
    let place = Place::new();
    leave_run(&place.path().join("run"), true);
    assert!(place.run(&["report", "run", "--out", "page.html"]).status.success());
    for look in &LOOKS {
        let picture = screenshot(place.path(), look.preference);
        assert_eq!(picture.pixel(2, 2), look.page, "the ground of the page");
        let told = picture.lane(look.told);
        let happened = picture.lane(look.happened);
        assert!(told.right < happened.left, "what was told is left: {told:?}, {happened:?}");
        for lane in [&told, &happened] {
            assert!(lane.bottom - lane.top > LANE_HEIGHT, "a lane runs down the page: {lane:?}");
            assert!(lane.right - lane.left <= 12, "a lane is one edge: {lane:?}");
        }
        assert!(told.top.abs_diff(happened.top) <= 2, "both begin at one height");
        assert!(told.bottom.abs_diff(happened.bottom) <= 2, "both end at one height");
    }
}

#[test]
fn the_browser_reads_the_page_as_it_was_meant() {
    let place = Place::new();
    leave_run(&place.path().join("run"), false);
    assert!(place.run(&["report", "run", "--out", "page.html"]).status.success());
    let output = browser(place.path()).arg("--dump-dom").arg(url(place.path())).output().unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    for part in [
        "What the agent was told",
        "What really happened",
        "<tr class=\"contradicted\">",
        "the agent cannot know",
        "<blockquote lang=\"de\">",
    ] {
        assert!(dom.contains(part), "{part}\n{dom}");
    }
}

/// Where a colour is: the smallest box around it.
#[derive(Debug)]
struct Lane {
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
}

/// A picture of eight-bit colours, as the browser writes it (PNG, third edition, section 5).
struct Picture {
    bytes: Vec<u8>,
    width: usize,
    channels: usize,
}

impl Picture {
    fn read(path: &Path) -> Self {
        let file = std::fs::read(path).unwrap();
        let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let (width, height) = (number(16), number(20));
        let channels = match file[24..29] {
            [8, 2, 0, 0, 0] => 3,
            [8, 6, 0, 0, 0] => 4,
            ref other => panic!("the picture is of another kind: {other:?}"),
        };
        let (mut packed, mut at) = (Vec::new(), 8);
        while at < file.len() {
            let length = number(at);
            if &file[at + 4..at + 8] == b"IDAT" {
                packed.extend_from_slice(&file[at + 8..at + 8 + length]);
            }
            at += length + 12;
        }
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut rows).unwrap();
        let bytes = unfilter(&rows, width * channels, height, channels);
        Self { bytes, width, channels }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * self.channels;
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    fn lane(&self, colour: [u8; 3]) -> Lane {
        let height = self.bytes.len() / self.channels / self.width;
        let all = (0..height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        let found: Vec<_> = all.filter(|(x, y)| self.pixel(*x, *y) == colour).collect();
        assert!(!found.is_empty(), "the colour {colour:02x?} is nowhere on the page");
        Lane {
            left: found.iter().map(|(x, _)| *x).min().unwrap(),
            right: found.iter().map(|(x, _)| *x).max().unwrap(),
            top: found.iter().map(|(_, y)| *y).min().unwrap(),
            bottom: found.iter().map(|(_, y)| *y).max().unwrap(),
        }
    }
}

/// Each row says how its bytes were made smaller by their neighbours (PNG, section 9).
fn unfilter(rows: &[u8], stride: usize, height: usize, step: usize) -> Vec<u8> {
    let mut out = vec![0_u8; stride * height];
    for y in 0..height {
        let row = &rows[y * (stride + 1)..(y + 1) * (stride + 1)];
        for x in 0..stride {
            let here = y * stride + x;
            let left = if x < step { 0 } else { out[here - step] };
            let above = if y == 0 { 0 } else { out[here - stride] };
            let corner = if x < step || y == 0 { 0 } else { out[here - stride - step] };
            let guess = match row[0] {
                0 => 0,
                1 => left,
                2 => above,
                3 => u8::midpoint(left, above),
                4 => nearest(left, above, corner),
                other => panic!("there is no filter {other}"),
            };
            out[here] = row[1 + x].wrapping_add(guess);
        }
    }
    out
}

fn nearest(left: u8, above: u8, corner: u8) -> u8 {
    let estimate = i32::from(left) + i32::from(above) - i32::from(corner);
    let distance = |value: &u8| (estimate - i32::from(*value)).abs();
    [left, above, corner].into_iter().min_by_key(distance).unwrap_or_default()
}

fn screenshot(place: &Path, preference: &str) -> Picture {
    let file = place.join(format!("page-{preference}.png"));
    let output = browser(place)
        .arg(format!("--blink-settings=preferredColorScheme={preference}"))
        .arg(format!("--window-size={WIDTH},{HEIGHT}"))
        .arg("--hide-scrollbars")
        .arg(format!("--screenshot={}", file.display()))
        .arg(url(place))
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && file.exists(), "no screenshot was taken: {complaints}");
    Picture::read(&file)
}

fn url(place: &Path) -> String {
    format!("file://{}", place.join("page.html").display())
}

/// A browser without a window, a profile of its own, and no wish to talk to anyone.
fn browser(place: &Path) -> Command {
    let mut command = Command::new(chromium());
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--force-device-scale-factor=1",
    ]);
    command.arg(format!("--user-data-dir={}", place.join("profile").display()));
    command.env("HOME", place);
    command
}

fn chromium() -> PathBuf {
    if let Some(named) = std::env::var_os("CHECKREIN_CHROMIUM") {
        return PathBuf::from(named);
    }
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "Chromium is missing: none of {names:?} is in PATH; install the Debian package \
             `chromium`, or name a browser by CHECKREIN_CHROMIUM"
        )
    })
}
