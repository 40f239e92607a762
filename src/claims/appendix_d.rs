use super::Claim;

pub const CLAIMS: &[Claim] = &[];
