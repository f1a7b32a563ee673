//! The square code (QR code) with the address for students. A phone's camera reads the code from
//! the wall.

use qrcode::{Color, QrCode};
use serde::Serialize;

/// The width, in modules, of the blank margin that a camera needs around the code.
const QUIET: usize = 4;

/// A square code as a drawing, in units of one module.
#[derive(Debug, Serialize)]
pub(crate) struct Square {
    /// The width and height, including the margin.
    size: usize,
    /// The dark modules, as the path of an SVG.
    path: String,
}

impl Square {
    /// Returns the code for an address, or `None` if the address is too long for a code.
    pub(crate) fn of(address: &str) -> Option<Self> {
        let code = QrCode::new(address).ok()?;
        let width = code.width();
        let colors = code.into_colors();
        let dark = colors.iter().enumerate().filter(|(_, color)| **color == Color::Dark);
        let (column, row) = (|at| at % width + QUIET, |at| at / width + QUIET);
        let path: Vec<String> =
            dark.map(|(at, _)| format!("M{} {}h1v1h-1z", column(at), row(at))).collect();
        Some(Square { size: width + 2 * QUIET, path: path.concat() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIXELS: usize = 8;

    /// Reads a code as a camera does, from a picture in which a module is several pixels wide.
    fn read(square: &Square) -> Option<String> {
        let dark: Vec<(usize, usize)> = square
            .path
            .split('M')
            .filter_map(|part| part.split_once('h')?.0.split_once(' '))
            .map(|(x, y)| (x.parse().expect("a number"), y.parse().expect("a number")))
            .collect();
        let pixels = square.size * PIXELS;
        let grey = |x: usize, y: usize| {
            if dark.contains(&(x / PIXELS, y / PIXELS)) { 0 } else { 255 }
        };
        let mut picture = rqrr::PreparedImage::prepare_from_greyscale(pixels, pixels, grey);
        let [code] = picture.detect_grids().try_into().ok()?;
        let (_, text) = code.decode().ok()?;
        Some(text)
    }

    #[test]
    fn a_camera_reads_the_address_with_the_code() {
        for address in [
            "http://192.168.7.20:7008/#code=otter-lake",
            "https://a-rather-long-name-of-a-codespace-7008.example.dev/#code=otter-lake",
        ] {
            let square = Square::of(address).expect("short enough");
            assert_eq!(read(&square).as_deref(), Some(address));
        }
        assert!(Square::of(&"x".repeat(5000)).is_none());
    }
}
