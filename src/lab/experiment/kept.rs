//! Trained weights that come with an experiment file, in the folder `weights` beside it.
//!
//! Training ends at slightly other weights on another kind of CPU, so what is played with them depends on
//! the file: its hash is part of the configuration, as that of every data file.

use super::data::Loaded;
use super::network::{file_name, training_files};
use super::network_spec::NetworkSpec;
use super::parse::Plan;
use super::spec::ExperimentSpec;
use crate::data::{DataError, sha256_of};
use crate::hash::sha256_hex;
use crate::stream::Cifar10hConfig;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Bumped when the same settings start to give other weights.
const VERSION: u32 = 1;

/// The folder beside the experiment file.
const FOLDER: &str = "weights";

/// How the name of a file with the weights of `network` begins: with a hash of its settings and of the
/// files it is trained on.
fn stem<'a>(
    network: &NetworkSpec,
    images: &Cifar10hConfig,
    sha256: impl Fn(&str) -> Option<&'a str>,
) -> Result<String, DataError> {
    let files = training_files(images)?;
    let data: Vec<&str> = files.iter().filter_map(|path| sha256(&file_name(path))).collect();
    let key = json!({ "version": VERSION, "network": network, "data": data });
    Ok(format!("wrn-{}", &sha256_hex(key.to_string().as_bytes())[..32]))
}

/// Finds kept weights of the network of `spec` and adds their hash to what was read. The name of the file
/// ends with the beginning of it.
///
/// # Errors
/// A file that cannot be read or is not what its name says; two files where one is meant.
pub(super) fn find(
    spec: &ExperimentSpec,
    folder: &Path,
    loaded: &mut Loaded,
) -> Result<(), DataError> {
    let Some(network) = &spec.network else { return Ok(()) };
    for images in spec.stream.iter().filter_map(|stream| stream.images()) {
        let read = |name: &str| {
            let file = loaded.files.iter().find(|(known, _)| known == name);
            file.map(|(_, sha256)| sha256.as_str())
        };
        let beginning = stem(network, images, read)? + "-";
        let entries = std::fs::read_dir(folder.join(FOLDER)).into_iter().flatten().flatten();
        let ours = |path: &PathBuf| file_name(path).starts_with(&beginning);
        let kept: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(ours).collect();
        let Some(path) = kept.first() else { continue };
        let wrong = |problem| DataError::Shape { path: path.clone(), problem };
        if let Some(other) = kept.get(1) {
            let other = file_name(other);
            return Err(wrong(format!("it and {other} are for the same network; remove one")));
        }
        let sha256 = sha256_of(path)?;
        let ending = &sha256[..16];
        if file_name(path) != format!("{beginning}{ending}.safetensors") {
            return Err(wrong(format!(
                "its SHA-256 begins with {ending}, not as its name says; remove it, and the network is trained again"
            )));
        }
        loaded.add([(file_name(path), sha256)], None)?;
    }
    Ok(())
}

impl Plan {
    /// How the name of a file with the weights of `network` begins.
    ///
    /// # Errors
    /// Training images that are not there.
    pub(super) fn weights_stem(
        &self,
        network: &NetworkSpec,
        images: &Cifar10hConfig,
    ) -> Result<String, DataError> {
        stem(network, images, |name| self.data_sha256(name))
    }

    /// The file of weights with this `stem` that came with the experiment when the plan was read.
    ///
    /// # Errors
    /// It changed since.
    pub(super) fn kept_weights(&self, stem: &str) -> Result<Option<PathBuf>, DataError> {
        let beginning = format!("{stem}-");
        let mut data = self.canonical["data"].as_object().into_iter().flatten();
        let Some((name, first)) = data.find(|(name, _)| name.starts_with(&beginning)) else {
            return Ok(None);
        };
        let path = self.folder.join(FOLDER).join(name);
        let (name, now) = (name.clone(), sha256_of(&path)?);
        match first.as_str() {
            Some(first) if first != now => {
                Err(DataError::Changed { name, first: first.into(), now })
            }
            _ => Ok(Some(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::DataError;
    use crate::data::tests::tiny_images;
    use crate::experiment::{Plan, SpecError, Store, StoreError, StoreMode};
    use crate::sha256_hex;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// A network on made-up images under `folder`.
    fn plan(folder: &Path) -> Result<Plan, SpecError> {
        let data = folder.join("tiny").display().to_string();
        let text = format!(
            r#"
            name = "tiny"
            seed = 1
            runs = 1
            rounds = 6
            checkpoints = {{ linear = 2 }}
            [[stream]]
            name = "blobs"
            [stream.cifar10h]
            folder = "{data}"
            answers = "{data}/counts.npy"
            side = 8
            classes = 3
            noise_sigma = 0.06
            noise_seed = 1
            knows = [[0], [1, 2]]
            cost = {{ alpha = 1.0, beta = 0.05 }}
            [network]
            shape = {{ depth = 10, width = 1, stem_stride = 2 }}
            pretrain = {{ seed = 1, images = 3, epochs = 1, batch = 2, rate = 0.05, momentum = 0.9, decay = 1e-4, shift = 1 }}
            [[policy]]
            name = "classifier"
            network_confidence = {{ threshold = 0.0 }}
            "#
        );
        Plan::from_text(&text, "tiny.toml", folder.to_path_buf())
    }

    fn stem(plan: &Plan) -> String {
        let network = plan.spec.network.as_ref().unwrap();
        plan.weights_stem(network, plan.spec.stream[0].images().unwrap()).unwrap()
    }

    /// Writes `bytes` where the weights of the plan are looked for.
    fn keep(folder: &Path, stem: &str, bytes: &[u8]) -> PathBuf {
        let name = format!("{stem}-{}.safetensors", &sha256_hex(bytes)[..16]);
        let path = folder.join("weights").join(name);
        fs::create_dir_all(folder.join("weights")).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs with one file of weights are not taken for runs with another, nor for those with none.
    #[test]
    fn a_store_belongs_to_its_weights() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, store) = (folder.path(), folder.path().join("runs"));
        tiny_images::write(folder, 3, 6);
        let open = |plan: &Plan| Store::open(&store, plan, StoreMode::Continue).map(drop);
        let refused =
            |plan: &Plan| matches!(open(plan), Err(StoreError::OtherConfiguration { .. }));
        let without = plan(folder).unwrap();
        let stem = stem(&without);
        assert_eq!(without.kept_weights(&stem).unwrap(), None);
        open(&without).unwrap();
        let path = keep(folder, &stem, b"first");
        let first = plan(folder).unwrap();
        assert_eq!(first.kept_weights(&stem).unwrap(), Some(path.clone()));
        assert!(refused(&first));
        let aside = Store::open(&store, &first, StoreMode::Fresh);
        drop(aside.unwrap());
        open(&first).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(refused(&plan(folder).unwrap()));
        keep(folder, &stem, b"second");
        assert!(refused(&plan(folder).unwrap()));
        // Weights of other settings, and those of the same bytes, change nothing.
        fs::remove_dir_all(folder.join("weights")).unwrap();
        keep(folder, &stem, b"first");
        keep(folder, "wrn-of-another-network", b"other");
        open(&plan(folder).unwrap()).unwrap();
    }

    /// Weights that are not what their name says, come twice, or change after the plan was read.
    #[test]
    fn wrong_weights_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        tiny_images::write(folder, 3, 6);
        let stem = stem(&plan(folder).unwrap());
        let path = keep(folder, &stem, b"first");
        let read = plan(folder).unwrap();
        fs::write(&path, b"other").unwrap();
        assert!(matches!(read.kept_weights(&stem), Err(DataError::Changed { .. })));
        let said = plan(folder).unwrap_err().to_string();
        assert!(said.contains("not as its name says; remove it"), "{said}");
        fs::write(&path, b"first").unwrap();
        keep(folder, &stem, b"second");
        let said = plan(folder).unwrap_err().to_string();
        assert!(said.contains("are for the same network; remove one"), "{said}");
    }
}
