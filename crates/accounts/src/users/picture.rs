//! The picture that a user has uploaded. It has a row of its own in the table [`super::unique`], so that reading the
//! account does not read the picture. The account has its digest.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dynamo::{Condition, Item, get, number, peek, text};
use shared::auth::Access;
use shared::models::UserId;
use shared::{Error, Result, digest};

use super::picture_format::PictureFormat;
use super::picture_metadata::remove_metadata;
use super::unique;
use super::user::{Account, key as user_key};
use super::user_change::{Update, UserChange};
use super::user_store::UserStore;
use crate::errors::NO_USER;

/// The maximum size of a picture, in bytes: 200 KB. A row has at most 400 KB.
const MAX_SIZE: usize = 200 * 1024;

/// The maximum width and height of a picture, in pixels.
const MAX_SIDE: u32 = 1024;

/// A picture. Its first bytes are those of its format, and state a width and a height that are allowed. Pictures that
/// are read from an uploaded file have no metadata.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// The format.
    pub format: PictureFormat,
    /// The file.
    pub bytes: Vec<u8>,
}

shared::hide_values!(Picture);

impl Picture {
    /// Reads a file without its metadata; `None` unless it is a whole picture of at most 200 KB and 1024 pixels on each
    /// side.
    pub fn read(file: &[u8]) -> Option<Self> {
        let (format, sides) = measure(file)?;
        let fits =
            file.len() <= MAX_SIZE && sides.into_iter().all(|side| (1..=MAX_SIDE).contains(&side));
        if !fits {
            return None;
        }
        let bytes = remove_metadata(format, file)?;
        Some(Self { format, bytes })
    }

    /// Returns the digest of the file, as accounts state it.
    pub fn digest(&self) -> String {
        digest(&self.bytes)
    }

    /// Returns the file in Base64.
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }
}

/// Returns the format of a file, its width and its height, from its first bytes.
fn measure(file: &[u8]) -> Option<(PictureFormat, [u32; 2])> {
    if file.starts_with(b"\x89PNG\r\n\x1a\n") {
        // The first chunk is the header (PNG, section 11.2.2).
        let is_header = part::<4>(file, 12)? == *b"IHDR";
        let sides = [part(file, 16)?, part(file, 20)?].map(u32::from_be_bytes);
        is_header.then_some((PictureFormat::Png, sides))
    } else if file.starts_with(b"GIF87a") || file.starts_with(b"GIF89a") {
        let sides = [part(file, 6)?, part(file, 8)?].map(u16::from_le_bytes);
        Some((PictureFormat::Gif, sides.map(u32::from)))
    } else if file.starts_with(b"RIFF") && part::<4>(file, 8)? == *b"WEBP" {
        Some((PictureFormat::WebP, measure_webp(file)?))
    } else if file.starts_with(b"\xff\xd8") {
        Some((PictureFormat::Jpeg, measure_jpeg(file)?))
    } else {
        None
    }
}

/// Returns the width and the height of a WebP file (RFC 9649): lossy, lossless or extended.
fn measure_webp(file: &[u8]) -> Option<[u32; 2]> {
    match &part::<4>(file, 12)? {
        b"VP8 " => {
            let has_start = part::<3>(file, 23)? == *b"\x9d\x01\x2a";
            let sides = [part(file, 26)?, part(file, 28)?].map(u16::from_le_bytes);
            has_start.then(|| sides.map(|side| u32::from(side & 0x3fff)))
        }
        b"VP8L" => {
            let bits = u32::from_le_bytes(part(file, 21)?);
            let has_start = part::<1>(file, 20)? == *b"\x2f";
            has_start.then_some([(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1])
        }
        b"VP8X" => {
            let side = |[a, b, c]: [u8; 3]| u32::from_le_bytes([a, b, c, 0]) + 1;
            Some([side(part(file, 24)?), side(part(file, 27)?)])
        }
        _ => None,
    }
}

/// Returns the width and the height of a JPEG file: those in its frame header (ITU T.81, section B.2.2).
fn measure_jpeg(file: &[u8]) -> Option<[u32; 2]> {
    let mut position = 2;
    loop {
        let [start, marker] = part(file, position)?;
        if start != 0xff {
            return None;
        }
        position += match marker {
            // A fill byte.
            0xff => 1,
            // Markers without content.
            0x01 | 0xd0..=0xd7 => 2,
            // The data begins, or the file ends, without a frame header.
            0xd9 | 0xda => return None,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let sides = [part(file, position + 7)?, part(file, position + 5)?];
                return Some(sides.map(|side| u32::from(u16::from_be_bytes(side))));
            }
            _ => 2 + usize::from(u16::from_be_bytes(part(file, position + 2)?)),
        };
    }
}

/// Returns the bytes of a file from a position; `None` if it ends before.
fn part<const N: usize>(file: &[u8], start: usize) -> Option<[u8; N]> {
    file.get(start..start.checked_add(N)?)?.try_into().ok()
}

impl UserStore {
    /// Replaces the caller's picture.
    pub async fn set_picture(&self, access: &Access, picture: &Picture) -> Result<Account> {
        let id = access.credential.user_id;
        let condition = self.caller_condition(access).await?;
        let condition = condition.value("picture", text(picture.digest()));
        let mut update = Update::default();
        update.set("picture = :picture");
        let mut row = unique::key(&unique::of_picture(id));
        let bytes = AttributeValue::B(Blob::new(picture.bytes.as_slice()));
        row.insert("user_id".to_owned(), number(id.get()));
        row.insert("picture".to_owned(), bytes);
        row.insert("media_type".to_owned(), text(picture.format.media_type()));
        let put = Condition::default().put(&self.unique, row)?;
        let change = UserChange::default();
        self.update_own_with(access, (condition, update), &change, Some(put))
            .await
    }

    /// Removes the caller's picture, if there is one.
    pub async fn remove_picture(&self, access: &Access) -> Result<Account> {
        let id = access.credential.user_id;
        let condition = self.caller_condition(access).await?;
        let mut update = Update::default();
        update.remove("picture");
        let key = unique::key(&unique::of_picture(id));
        let delete = Condition::default().delete(&self.unique, key)?;
        let change = UserChange::default();
        self.update_own_with(access, (condition, update), &change, Some(delete))
            .await
    }

    /// Removes the picture of a user, if there is one: the caller's own or, for a moderator or an administrator, that
    /// of another user.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the user does not exist, and [`Error::Forbidden`] if the caller's role is too low.
    pub async fn remove_picture_of(&self, access: &Access, id: UserId) -> Result<()> {
        if access.credential.user_id == id {
            return self.remove_picture(access).await.map(|_| ());
        }
        let (mut writes, user) = self.begin_for(access, id).await?;
        writes.add(user.update(&self.users, user_key(id), "REMOVE picture")?);
        let key = unique::key(&unique::of_picture(id));
        writes.add(Condition::default().delete(&self.unique, key)?);
        writes.commit().await?.or(NO_USER)
    }

    /// Returns the picture of a user, by a strongly consistent read.
    pub async fn find_picture(&self, id: UserId) -> Result<Option<Picture>> {
        let key = unique::key(&unique::of_picture(id));
        picture_of(get(&self.client, &self.unique, key).await?)
    }

    /// Returns the picture of a user whose account states the digest `expected`, by an eventually consistent read,
    /// which costs half as much as [`Self::find_picture`]. If it finds another picture or none, a strongly consistent
    /// read follows. A picture that has changed since the account was read has another digest.
    pub async fn peek_picture(&self, id: UserId, expected: &str) -> Result<Option<Picture>> {
        let key = unique::key(&unique::of_picture(id));
        let picture = picture_of(peek(&self.client, &self.unique, key).await?)?;
        match picture {
            Some(picture) if picture.digest() == expected => Ok(Some(picture)),
            _ => self.find_picture(id).await,
        }
    }
}

/// Returns the picture in a row of the table [`unique`].
fn picture_of(row: Option<Item>) -> Result<Option<Picture>> {
    let Some(mut row) = row else {
        return Ok(None);
    };
    let (bytes, media_type) = (row.remove("picture"), row.remove("media_type"));
    let (Some(AttributeValue::B(bytes)), Some(AttributeValue::S(media_type))) = (bytes, media_type)
    else {
        return Err(Error::internal("a row of Unique has no picture"));
    };
    let mut formats = PictureFormat::ALL.into_iter();
    let format = formats.find(|format| format.media_type() == media_type);
    Ok(format.map(|format| Picture {
        format,
        bytes: bytes.into_inner(),
    }))
}

/// Returns the condition that the picture of an account is still the one that was read.
pub(crate) fn has_picture(account: &Account) -> Condition {
    match &account.picture {
        Some(picture) => Condition::new("picture = :picture").value("picture", text(picture)),
        None => Condition::new("attribute_not_exists(picture)"),
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_SIZE, Picture, PictureFormat, measure};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice(), &sides].concat()
    }

    fn gif(width: u16, height: u16) -> Vec<u8> {
        let sides = [width.to_le_bytes(), height.to_le_bytes()].concat();
        [b"GIF89a".as_slice(), &sides].concat()
    }

    fn jpeg(width: u16, height: u16) -> Vec<u8> {
        let sides = [height.to_be_bytes(), width.to_be_bytes()].concat();
        let start = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x0b\x08".as_slice();
        [start, &sides].concat()
    }

    fn webp(chunk: &[u8]) -> Vec<u8> {
        [b"RIFF\0\0\0\0WEBP".as_slice(), chunk].concat()
    }

    #[test]
    fn formats_and_sides_are_read_from_the_file() {
        let lossy = b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x00\x04\x01\x40";
        // A width of 1024 and a height of 2, each less 1, in 14 bits.
        let lossless = [
            b"VP8L\0\0\0\0\x2f".as_slice(),
            &(1023 | (1_u32 << 14)).to_le_bytes(),
        ]
        .concat();
        let extended = b"VP8X\0\0\0\0\0\0\0\0\xff\x03\0\0\0\0";
        for (file, format, sides) in [
            (png(1024, 1), PictureFormat::Png, [1024, 1]),
            (gif(1, 1024), PictureFormat::Gif, [1, 1024]),
            (jpeg(640, 480), PictureFormat::Jpeg, [640, 480]),
            (webp(lossy), PictureFormat::WebP, [1024, 1]),
            (webp(&lossless), PictureFormat::WebP, [1024, 2]),
            (webp(extended), PictureFormat::WebP, [1024, 1]),
        ] {
            assert_eq!(measure(&file), Some((format, sides)), "{file:?}");
            // A file that ends too early is none.
            let end = file.len() - 1;
            assert!(measure(&file[..end]).is_none(), "{file:?}");
            assert!(Picture::read(&file).is_none(), "{file:?}");
        }
    }

    /// Returns a whole GIF file.
    fn whole(width: u16, height: u16) -> Vec<u8> {
        let image = b"\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";
        [gif(width, height).as_slice(), image].concat()
    }

    #[test]
    fn pictures_are_read_without_what_follows_their_end() {
        let file = whole(1024, 1);
        let mut large = file.clone();
        large.resize(MAX_SIZE, 0);
        let picture = Picture::read(&large).unwrap();
        assert_eq!(picture.format, PictureFormat::Gif);
        assert_eq!(picture.bytes, file);
        large.push(0);
        assert!(Picture::read(&large).is_none());
    }

    #[test]
    fn other_files_and_pictures_with_wrong_sides_are_refused() {
        for file in [
            whole(1025, 1),
            whole(1, 1025),
            whole(0, 1),
            whole(1, 0),
            webp(b"ABCD\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec(),
            b"\xff\xd8\xff\xda\x00\x02".to_vec(),
            b"\xff\xd8<script>".to_vec(),
            Vec::new(),
        ] {
            assert!(Picture::read(&file).is_none(), "{file:?}");
        }
    }
}
