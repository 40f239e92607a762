#![doc = include_str!("../docs/tutorial.md")]
