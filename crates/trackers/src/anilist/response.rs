//! The envelope of AniList's responses.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::transport::parse;

/// A response without errors. Its data have one field, that of the query.
#[derive(Deserialize)]
struct GraphQlResponse<T> {
    data: BTreeMap<String, T>,
}

/// Reads the field of the query in a response.
///
/// # Errors
/// The reason why the response is malformed.
pub(super) fn read_data<T: DeserializeOwned>(body: &[u8], name: &str) -> Result<T, &'static str> {
    let mut response: GraphQlResponse<T> = parse(body)?;
    response.data.remove(name).ok_or("not the expected JSON")
}
