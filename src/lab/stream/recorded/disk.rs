//! Recordings that are played from disk, in the order of the file: a block of rounds is in memory.
//!
//! The file is read once with the experiment: every line is checked, every block hashed. Each run reads it
//! again, and plays a block only if it is the one that was checked. The rounds, and what is said of a
//! fault, are those of [`Recording`], which holds all of them.

use super::lines::{Form, parse, weigh};
use super::prices::largest_price;
use super::{CostSums, LineFormat, Recorded, RecordedError, Recording, Seasons};
use crate::data::{DataError, Opened};
use crate::limits;
use crate::stream::{Stream, StreamRound};
use problem::ActionSpace;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a block, up to the end of a line: small beside what a run needs, large beside a line.
const BLOCK: usize = 1 << 20;

/// Why a file cannot be played.
#[derive(Debug)]
pub(crate) enum DiskFault {
    Data(DataError),
    Recorded(RecordedError),
}

impl From<DataError> for DiskFault {
    fn from(error: DataError) -> Self {
        DiskFault::Data(error)
    }
}

/// Blocks of whole lines.
struct Blocks {
    file: Opened,
    path: PathBuf,
    size: usize,
    /// What was read and is not part of a block yet.
    rest: Vec<u8>,
    /// Lines before it.
    lines: usize,
}

/// Whole lines of a file.
struct Block {
    /// Lines before it.
    lines: usize,
    text: String,
    sum: [u8; 32],
}

impl Blocks {
    fn open(path: &Path, size: usize) -> Result<Self, DataError> {
        let file = Opened::new(path)?;
        Ok(Blocks { file, path: path.into(), size, rest: Vec::new(), lines: 0 })
    }

    fn next(&mut self) -> Result<Option<Block>, DataError> {
        let mut end = None;
        loop {
            let before = self.rest.len();
            let read = self.file.by_ref().take(self.size as u64).read_to_end(&mut self.rest);
            let read = read.map_err(DataError::io(&self.path))?;
            let last = self.rest[before..].iter().rposition(|&b| b == b'\n');
            end = last.map(|last| before + last + 1).or(end);
            let line = self.rest.len() - end.unwrap_or(0);
            limits::LINE_BYTES.check(line as u64).map_err(DataError::limit(&self.path))?;
            if read == 0 {
                // The last line may have no line break.
                end = Some(self.rest.len());
            }
            if let Some(end) = end {
                let rest = self.rest.split_off(end);
                let bytes = std::mem::replace(&mut self.rest, rest);
                return self.block(bytes);
            }
        }
    }

    fn block(&mut self, bytes: Vec<u8>) -> Result<Option<Block>, DataError> {
        if bytes.is_empty() {
            return Ok(None);
        }
        let sum = Sha256::digest(&bytes).into();
        let lines = self.lines;
        let text = String::from_utf8(bytes).map_err(|e| {
            let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let row = lines + valid.split(|&b| b == b'\n').count();
            DataError::shape(&self.path, format!("row {row} is not UTF-8 text"))
        })?;
        self.lines += text.matches('\n').count();
        Ok(Some(Block { lines, text, sum }))
    }
}

/// How lines are to be understood, with names of its own.
#[derive(Clone, Debug)]
struct OwnFormat {
    line: LineFormat<'static>,
    experts: Option<Vec<String>>,
    class_names: Option<Vec<String>>,
    keys: [Option<String>; 2],
    ignore: Vec<String>,
    prices: Option<BTreeMap<String, f64>>,
    unit_norm: bool,
}

impl OwnFormat {
    fn new(format: &LineFormat<'_>, unit_norm: bool) -> Self {
        let LineFormat { classes, experts_only, dim, cost, exchange, .. } = *format;
        let line = LineFormat {
            classes,
            class_names: None,
            experts_only,
            experts: None,
            x: None,
            text: None,
            ignore: &[],
            prices: None,
            dim,
            cost,
            exchange,
        };
        OwnFormat {
            line,
            experts: format.experts.map(<[String]>::to_vec),
            class_names: format.class_names.map(<[String]>::to_vec),
            keys: [format.x, format.text].map(|key| key.map(String::from)),
            ignore: format.ignore.to_vec(),
            prices: format.prices.cloned(),
            unit_norm,
        }
    }

    fn line(&self) -> LineFormat<'_> {
        let [x, text] = &self.keys;
        LineFormat {
            experts: self.experts.as_deref(),
            class_names: self.class_names.as_deref(),
            x: x.as_deref(),
            text: text.as_deref(),
            ignore: &self.ignore,
            prices: self.prices.as_ref(),
            ..self.line
        }
    }
}

/// What is known of a file after it was read once.
#[derive(Clone, Debug)]
pub(crate) struct DiskRecording {
    path: PathBuf,
    size: usize,
    format: OwnFormat,
    form: Form,
    seasons: Option<Seasons>,
    /// Prices are put into costs by the largest of all.
    largest_price: f64,
    rounds: u64,
    rho: f64,
    judges: bool,
    labels: bool,
    mean_costs: Vec<f64>,
    /// `SHA-256` of each block.
    sums: Vec<[u8; 32]>,
}

impl DiskRecording {
    /// Reads and checks a file, and says its `SHA-256`. `seasons` are asked for when it is known who there is.
    ///
    /// # Errors
    /// Says the line and what is wrong with it.
    pub(crate) fn read(
        path: &Path,
        format: &LineFormat<'_>,
        unit_norm: bool,
        seasons: impl FnOnce(ActionSpace) -> Result<Option<Seasons>, RecordedError>,
    ) -> Result<(Self, String), DiskFault> {
        Self::read_by(BLOCK, path, format, unit_norm, seasons)
    }

    fn read_by(
        size: usize,
        path: &Path,
        format: &LineFormat<'_>,
        unit_norm: bool,
        seasons: impl FnOnce(ActionSpace) -> Result<Option<Seasons>, RecordedError>,
    ) -> Result<(Self, String), DiskFault> {
        let refused = DiskFault::Recorded;
        format.check().map_err(refused)?;
        let mut blocks = Blocks::open(path, size)?;
        let (mut form, mut sums) = (None, Vec::new());
        let (mut rounds, mut rho, mut judges, mut largest) = (0, 1.0f64, true, 0.0f64);
        let mut labels = true;
        let mut costs = CostSums::default();
        // A fault of a season is told after those of the lines, as it is for a recording in memory.
        let (mut asked, mut season_of, mut nobody) = (Some(seasons), Ok(None), None);
        while let Some(block) = blocks.next()? {
            sums.push(block.sum);
            let parsed =
                parse(&block.text, format, form).map_err(|e| refused(e.later(block.lines, 0)))?;
            let Some((found, inputs, entries)) = parsed else { continue };
            form = Some(found);
            if let Some(seasons) = asked.take() {
                season_of = seasons(found.space);
            }
            largest = largest.max(largest_price(&entries));
            let (space, names) = (found.space, None);
            let mut part = Recording { space, inputs, entries, seasons: None, names };
            let count = part.rounds();
            judges &= part.judges();
            labels &= part.has_labels();
            if unit_norm {
                part.scale_to_unit_norm();
            }
            rho = rho.max(part.rho());
            if format.exchange.is_none() {
                costs.add(&part);
            }
            if let Ok(seasons) = &season_of {
                let fault = part.with_seasons(seasons.clone()).err();
                nobody = nobody.or(fault.map(|e| e.later(0, rounds)));
            }
            rounds += count;
        }
        let sha256 = blocks.file.sha256()?;
        let form = form.ok_or(refused(RecordedError::Empty))?;
        format.scale(largest).map_err(refused)?;
        let seasons = season_of.map_err(refused)?;
        if let Some(fault) = nobody {
            return Err(refused(fault));
        }
        let mut recording = DiskRecording {
            path: path.into(),
            size,
            format: OwnFormat::new(format, unit_norm),
            form,
            seasons,
            largest_price: largest,
            rounds: rounds as u64,
            rho,
            judges,
            labels,
            mean_costs: Vec::new(),
            sums,
        };
        if format.exchange.is_some() {
            // Only now are the costs known.
            let mut stream = FromDisk::new(Arc::new(recording.clone()))?;
            while stream.next_block()? {
                costs.add(stream.block.recording());
            }
        }
        recording.mean_costs = costs.means(form.space.experts());
        Ok((recording, sha256))
    }

    /// Classes and experts.
    pub(crate) fn space(&self) -> ActionSpace {
        self.form.space
    }

    /// How many rounds it has.
    pub(crate) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The largest `|(x, 1)|`.
    pub(crate) fn rho(&self) -> f64 {
        self.rho
    }

    /// Whether it is known who was right, in every round.
    pub(crate) fn judges(&self) -> bool {
        self.judges
    }

    /// Whether every round has a label.
    pub(crate) fn has_labels(&self) -> bool {
        self.labels
    }

    /// What each expert costs on average where it is available; 1 if it never is.
    pub(crate) fn mean_costs(&self) -> &[f64] {
        &self.mean_costs
    }
}

/// A file that is played, block by block.
pub(crate) struct FromDisk {
    recording: Arc<DiskRecording>,
    blocks: Blocks,
    /// Blocks that were read.
    read: usize,
    /// The one that is played, and how many of its rounds are left.
    block: Recorded,
    left: usize,
    fault: Option<DataError>,
}

impl FromDisk {
    /// From its first round on.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(crate) fn new(recording: Arc<DiskRecording>) -> Result<Self, DataError> {
        let blocks = Blocks::open(&recording.path, recording.size)?;
        let nothing = recording.form.inputs();
        let empty = Recording {
            space: recording.space(),
            inputs: nothing,
            entries: Vec::new(),
            seasons: None,
            names: None,
        };
        let block = Recorded::once(Arc::new(empty));
        Ok(FromDisk { recording, blocks, read: 0, block, left: 0, fault: None })
    }

    /// Reads blocks until there are rounds to play; false at the end.
    fn next_block(&mut self) -> Result<bool, DataError> {
        self.left = 0;
        while self.left == 0 {
            let known = self.recording.sums.get(self.read);
            let found = self.blocks.next()?;
            let (Some(block), Some(sum)) = (&found, known) else {
                return match (found, known) {
                    (None, None) => Ok(false),
                    (found, _) => Err(self.changed(found.map(|block| block.sum))),
                };
            };
            if block.sum != *sum {
                return Err(self.changed(Some(block.sum)));
            }
            self.read += 1;
            self.start(block)?;
        }
        Ok(true)
    }

    fn start(&mut self, block: &Block) -> Result<(), DataError> {
        let recording = &*self.recording;
        let format = recording.format.line();
        // The same bytes gave no fault before.
        let odd = |e: RecordedError| DataError::shape(&recording.path, e.to_string());
        let Some((form, inputs, mut entries)) =
            parse(&block.text, &format, Some(recording.form)).map_err(odd)?
        else {
            return Ok(());
        };
        weigh(&mut entries, &format, recording.largest_price).map_err(odd)?;
        let seasons = recording.seasons.clone();
        let mut part = Recording { space: form.space, inputs, entries, seasons, names: None };
        if recording.format.unit_norm {
            part.scale_to_unit_norm();
        }
        self.left = part.rounds();
        self.block = self.block.followed_by(Arc::new(part));
        Ok(())
    }

    fn changed(&self, now: Option<[u8; 32]>) -> DataError {
        let hash = |sum: Option<[u8; 32]>| sum.map_or("(nothing)".into(), hex::encode);
        let first = self.recording.sums.get(self.read).copied();
        let name = format!("{}, block {}", self.recording.path.display(), self.read + 1);
        DataError::Changed { name, first: hash(first), now: hash(now) }
    }
}

impl Stream for FromDisk {
    fn space(&self) -> ActionSpace {
        self.recording.space()
    }

    fn dim(&self) -> usize {
        self.recording.form.dim
    }

    fn next_round(&mut self) -> Option<StreamRound<'_>> {
        if self.left == 0 {
            let more = self.fault.is_none() && {
                let next = self.next_block();
                next.unwrap_or_else(|fault| {
                    self.fault = Some(fault);
                    false
                })
            };
            if !more {
                return None;
            }
        }
        self.left -= 1;
        self.block.next_round()
    }

    fn fault(&mut self) -> Option<DataError> {
        self.fault.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ExpertCost;
    use std::collections::BTreeMap;
    use std::io::Write;

    fn format() -> LineFormat<'static> {
        LineFormat::new(2, ExpertCost::new(1.0, 0.1).unwrap())
    }

    type Season<'a> = &'a dyn Fn() -> Result<Option<Seasons>, RecordedError>;

    /// Every round of a stream, in words.
    fn rounds(stream: &mut dyn Stream) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(round) = stream.next_round() {
            all.push(format!("{round:?}"));
        }
        assert!(stream.fault().is_none());
        all
    }

    /// What a file is, in memory and from disk in blocks of `size` bytes: rounds and figures, or the fault.
    fn both(
        text: &str,
        format: &LineFormat<'_>,
        unit_norm: bool,
        seasons: Season<'_>,
        size: usize,
    ) -> [Result<(Vec<String>, String), String>; 2] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let memory = || -> Result<_, RecordedError> {
            let mut recording = Recording::read(text, format)?;
            if unit_norm {
                recording.scale_to_unit_norm();
            }
            let recording = Arc::new(recording.with_seasons(seasons()?)?);
            let figures = format!(
                "{:?} {:?} {}",
                recording.mean_costs(),
                recording.rho(),
                recording.judges()
            );
            Ok((rounds(&mut Recorded::once(recording)), figures))
        };
        let disk = || -> Result<_, DiskFault> {
            let (recording, sha256) =
                DiskRecording::read_by(size, file.path(), format, unit_norm, |_| seasons())?;
            assert_eq!(sha256, crate::hash::sha256_hex(text.as_bytes()));
            let recording = Arc::new(recording);
            let figures = format!(
                "{:?} {:?} {}",
                recording.mean_costs(),
                recording.rho(),
                recording.judges()
            );
            let played = rounds(&mut FromDisk::new(recording.clone())?);
            assert_eq!(recording.rounds(), played.len() as u64);
            Ok((played, figures))
        };
        let told = |fault| match fault {
            DiskFault::Data(error) => error.to_string(),
            DiskFault::Recorded(error) => error.to_string(),
        };
        [memory().map_err(|e| e.to_string()), disk().map_err(told)]
    }

    /// The plain twin is the recording in memory, whatever the size of the blocks.
    #[test]
    fn rounds_from_disk_are_those_in_memory() {
        let names = ["ann".to_string(), "bob".into()];
        let seasons = |comes: &[(&str, u64)]| {
            let comes: BTreeMap<String, u64> =
                comes.iter().map(|(name, t)| (name.to_string(), *t)).collect();
            Seasons::new(&names, &comes, &BTreeMap::new())
        };
        let answers: String = (0..40)
            .map(|i| {
                let gap = if i % 7 == 0 { "\n" } else { "" };
                format!(
                    "{{\"x\":[{i},-1.5],\"label\":{},\"answers\":[{},null]}}\n{gap}",
                    i % 2,
                    i % 2
                )
            })
            .collect();
        let priced: String = (0..40)
            .map(|i| {
                let price = f64::from((i * 13) % 29) / 7.0;
                format!(
                    "{{\"x\":{{\"{}\":0.3}},\"rewards\":{{\"ann\":0.25,\"bob\":1}},\"prices\":{{\"ann\":{price},\"bob\":0}}}}\r\n",
                    i % 5
                )
            })
            .collect();
        let experts = LineFormat { classes: 0, experts: Some(&names), dim: Some(5), ..format() };
        let priced_format = LineFormat { exchange: Some(0.7), ..experts };
        let none: Season<'_> = &|| Ok(None);
        let come: Season<'_> = &|| seasons(&[("bob", 9)]);
        let never: Season<'_> = &|| seasons(&[("ann", 5), ("bob", 9)]);
        let misspelt: Season<'_> = &|| seasons(&[("anne", 5)]);
        let broken = |from: &str, to: &str| {
            let at = answers.rfind(from).unwrap();
            format!("{}{to}{}", &answers[..at], &answers[at + from.len()..])
        };
        let cases: [(String, LineFormat<'_>, bool, Season<'_>); 13] = [
            (answers.clone(), format(), false, none),
            (answers.trim_end().to_string(), format(), true, none),
            (priced.clone(), priced_format, true, come),
            (priced.clone(), priced_format, false, never),
            (priced.clone(), LineFormat { exchange: Some(f64::NAN), ..experts }, false, none),
            (priced.clone(), LineFormat { exchange: Some(1e308), ..experts }, false, none),
            (priced, priced_format, false, misspelt),
            ("\n \n".into(), format(), false, none),
            (broken("\"label\":1", "\"label\":7"), format(), false, none),
            (broken("[39,-1.5]", "[39]"), format(), false, none),
            (broken("[39,-1.5]", "{\"0\":1}"), format(), false, none),
            (broken("[1,null]", "[1,null,0]"), format(), false, none),
            (broken("}", ""), format(), false, none),
        ];
        let mut faults = 0;
        for (text, format, unit_norm, seasons) in &cases {
            for size in [1, 7, 100, 1000, BLOCK] {
                let [memory, disk] = both(text, format, *unit_norm, *seasons, size);
                assert_eq!(memory, disk, "blocks of {size} bytes");
                faults += usize::from(memory.is_err());
            }
        }
        assert_eq!(faults, 10 * 5);
    }

    /// What is played is what was read first, to the block; what comes before a change is played.
    #[test]
    fn a_file_that_changes_is_not_played() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rounds.jsonl");
        let line = |x: u32| format!("{{\"x\":[{x}],\"label\":0,\"answers\":[0]}}\n");
        let text: String = (100..200).map(line).collect();
        std::fs::write(&path, &text).unwrap();
        let (recording, _) =
            DiskRecording::read_by(256, &path, &format(), false, |_| Ok(None)).unwrap();
        let recording = Arc::new(recording);
        let played = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let mut stream = FromDisk::new(recording.clone()).unwrap();
            let count = std::iter::from_fn(|| stream.next_round().map(drop)).count();
            (count, stream.fault().map(|fault| fault.to_string()))
        };
        assert_eq!(played(&text), (100, None));
        let (count, fault) = played(&text.replace("[150]", "[151]"));
        assert!((40..=50).contains(&count), "{count}");
        assert!(fault.unwrap().contains("changed while it was in use"));
        for other in [&text[..text.len() - line(0).len()], &text[..text.len() / 2], ""] {
            assert!(played(other).1.is_some());
        }
        assert!(played(&(text.clone() + &line(200))).1.is_some());
        std::fs::remove_file(&path).unwrap();
        assert!(FromDisk::new(recording).is_err());
    }

    /// A line without end is refused before it fills the memory.
    #[test]
    fn a_line_without_end_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 24).unwrap();
        let read = DiskRecording::read(file.path(), &format(), false, |_| Ok(None));
        let Err(DiskFault::Data(error)) = read else { panic!("{read:?}") };
        assert!(error.to_string().contains("bytes in one line: at most 4194304"), "{error}");
    }
}
