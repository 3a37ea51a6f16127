//! `bindpose preview`: pictures of files, and pages that show them.

use std::io::Cursor;
use std::time::Duration;

use image::{ImageFormat, RgbaImage};

use super::convert::have_one_image_for_a_path;
use super::destination::Destination;
use super::ranges::RangeArgs;
use super::scene::{SceneArgs, finite, load_all};
use super::sidecars;
use super::textures::{TextureArgs, Textures};
use crate::prelude::*;
use bindpose::counted;
use bindpose::scene::render::{self, Drawing, MAX_SIZE, Picture, View};
use bindpose::scene::{Clip, Scene};

mod blend;
mod page;
mod sheet;

/// Draw a picture of a model, or write a page that shows it with its bytes
///
/// All files form one scene: a mesh with its skeleton, clips and materials, as in `export`. A picture (.png) is drawn in software, with
/// a transparent background; the same files give the same picture. Where triangles cover the picture hundreds of times, equal ones are
/// drawn once and others as points, with a warning. A page (.html) opens in any browser without a network: it contains
/// the viewer, the files and the images of their textures. It shows the animated model, findings and losses, and every byte.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose preview hero.ms3d -o hero.png
  bindpose preview hero.psk walk.psa -o walk.png --clip walk --time 0.5 --bones
  bindpose preview hero.x -o hero.png --clip walk --blend wave --mask Spine=1
  bindpose preview models/ -o models.png --contact-sheet --size 200x200
  bindpose preview hero.psk walk.psa -o hero.html --viewer viewer.html --clip walk --time 0.5")]
pub(super) struct Preview {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Write to OUT, a .png or .html file; `-` for a .png file on standard output
    #[arg(short, long, value_name = "OUT", help_heading = "Output options")]
    output: PathBuf,
    /// Overwrite OUT if it exists
    #[arg(long, help_heading = "Output options")]
    force: bool,
    /// Print what was written as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
    /// Width and height of the picture, or of each picture of a contact sheet, in pixels [default: 512x512]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size, help_heading = "Output options")]
    size: Option<[u32; 2]>,
    /// Colour of the background, such as `#202428` [default: transparent]
    #[arg(long, value_name = "COLOR", value_parser = color, help_heading = "Output options")]
    background: Option<[u8; 3]>,
    /// Draw a picture of each file, or with --clip of several frames of the clip, in one image
    #[arg(long, help_heading = "Output options")]
    contact_sheet: bool,
    /// Number of frames of a clip on a contact sheet
    #[arg(long, value_name = "N", default_value_t = 12, requires_all = ["contact_sheet", "clip"], value_parser = clap::value_parser!(u16).range(1..=400), help_heading = "Output options")]
    frames: u16,
    /// Show the model in the animation CLIP, by name or by number from 0 [default: the bind pose; in a page, the first clip]
    #[arg(long, value_name = "CLIP", help_heading = "View options")]
    clip: Option<String>,
    /// Time in the clip in seconds [default: the start of the clip]
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "clip",
        conflicts_with = "contact_sheet",
        value_parser = finite::<f32>,
        allow_negative_numbers = true,
        help_heading = "View options"
    )]
    time: Option<f32>,
    #[command(flatten)]
    blend: blend::BlendArgs,
    /// Draw the bones over the meshes
    #[arg(long, help_heading = "View options")]
    bones: bool,
    /// Direction of the camera in degrees: 0 in front of the model, 90 at its left side
    #[arg(
        long,
        value_name = "DEGREES",
        default_value_t = 30.0,
        value_parser = finite::<f32>,
        allow_negative_numbers = true,
        help_heading = "View options"
    )]
    yaw: f32,
    /// Elevation of the camera in degrees
    #[arg(
        long,
        value_name = "DEGREES",
        default_value_t = 15.0,
        value_parser = finite::<f32>,
        allow_negative_numbers = true,
        help_heading = "View options"
    )]
    pitch: f32,
    /// Stop after SECONDS, whatever the files: for programs that draw files of unknown origin
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Limits")]
    max_time: Option<u16>,
    #[command(flatten)]
    page: page::PageArgs,
    #[command(flatten)]
    textures: TextureArgs,
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    ranges: RangeArgs,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let parse = |side: &str| {
        let number = side.bytes().all(|digit| digit.is_ascii_digit()).then(|| side.parse().ok());
        number.flatten().filter(|side| (1..=MAX_SIZE).contains(side))
    };
    let sides = text
        .split_once('x')
        .map_or_else(|| [parse(text); 2], |(width, height)| [parse(width), parse(height)]);
    match sides {
        [Some(width), Some(height)] => Ok([width, height]),
        _ => Err(format!("expected a size such as 512 or 640x480, at most {MAX_SIZE} pixels to each side")),
    }
}

fn color(text: &str) -> Result<[u8; 3], String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_color = [3, 6].contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_color);
    let [_, red, green, blue] = number.ok_or("expected a colour such as #202428 or #fff")?.to_be_bytes();
    if digits.len() == 6 {
        return Ok([red, green, blue]);
    }
    // Each digit stands for two: #fa0 is #ffaa00.
    Ok([green & 0xf, blue >> 4, blue & 0xf].map(|digit| digit * 0x11))
}

struct Labelled {
    label: String,
    picture: Picture,
}

impl Verb for Preview {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        if let Some(seconds) = self.max_time {
            stop_after(seconds);
        }
        if self.is_page()? {
            return self.write(&self.page(output.common)?, output);
        }
        if !self.ranges.ranges.is_empty() && self.clip.is_none() {
            let why = "--range needs --clip NAME: the picture shows the bind pose";
            return Err(Failure::usage(why));
        }
        let memory = self.limits.memory();
        memory.permit(render::canvas_memory(self.size()));
        let mut files = load_all(&self.inputs, &memory, self.scene.input.nodes(), output.common)?;
        let what = match &*files {
            [(path, _)] => shown(path),
            files => counted(files.len() as u64, "file"),
        };
        if !self.contact_sheet || self.clip.is_some() {
            sidecars::report(&self.textures.sidecars.add(&mut files, &memory)?, output.common);
        }
        let search = self.textures.prepare(&self.inputs, self.limits);
        let picture = if self.contact_sheet && self.clip.is_none() {
            let mut drawn = Vec::new();
            for file in files {
                let label = FormatSpec::stem(&file.0);
                let mut scene = self.scene.scene(std::slice::from_ref(&file), &memory)?;
                if is_empty(&scene) {
                    continue;
                }
                let name = shown(&file.0);
                let of_limit = |failure: Failure| failure.of_limit(&name);
                sheet::admit(drawn.len() + 1, self.size(), &memory).map_err(of_limit)?;
                let mut textures = search.of([&*file.0]);
                textures.embed([file]);
                textures.attach(&mut scene);
                let images = Images::of(&mut scene, &textures, &self.view(), &memory, output.common);
                let picture = draw(&scene, &self.view(), &images).map_err(of_limit)?;
                drawn.push(Labelled { label, picture });
            }
            sheet::arrange(&drawn, self.background).map_err(|failure| failure.of(&what))?
        } else {
            let mut scene = self.scene.scene(&files, &memory)?;
            self.ranges.cut(&mut scene)?;
            if is_empty(&scene) {
                return Err(nothing().of(&what));
            }
            have_one_image_for_a_path(&files, &search)?;
            let mut textures = search.of(files.iter().map(|(path, _)| &**path));
            textures.embed(files);
            let missing = textures.attach(&mut scene);
            let images = Images::of(&mut scene, &textures, &self.view(), &memory, output.common);
            let clip = self.clip.as_deref().map(|clip| find_clip(&scene, clip)).transpose()?;
            if !output.common.quiet {
                textures.warn_of_missing(&missing);
            }
            self.draw_clip(&scene, clip, &images).map_err(|failure| failure.of_limit(&what))?
        };
        self.write(&encode(picture)?, output)
    }
}

impl Preview {
    fn write(&self, bytes: &[u8], output: &mut Output) -> Result<Exit> {
        let destination = Destination::named(&self.output, self.force);
        destination.write_and_report(bytes, None, self.format, output).map(|()| Exit::Success)
    }

    /// Returns whether to write a page rather than a picture.
    fn is_page(&self) -> Result<bool> {
        let extension = self.output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if is_stdout(&self.output) || extension.eq_ignore_ascii_case("png") {
            return Ok(false);
        }
        if !["html", "htm"].iter().any(|own| extension.eq_ignore_ascii_case(own)) {
            return Err(Failure::usage("expected a .png or .html file").in_file(&self.output));
        }
        let SceneArgs { conventions, input } = &self.scene;
        let of_pictures = [
            (self.contact_sheet, "--contact-sheet"),
            (self.blend.is_given(), "--blend"),
            (self.size.is_some(), "--size"),
            (conventions.rate.is_some(), "--rate"),
            (input.linear_translations, "--linear-translations"),
            (input.keep_nodes, "--keep-nodes"),
            (input.encoding.encoding.is_some(), "--encoding"),
        ];
        match of_pictures.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, option)) => {
                Err(Failure::usage(format!("{option} applies to pictures only")).in_file(&self.output))
            }
            None => Ok(true),
        }
    }

    fn size(&self) -> [u32; 2] {
        self.size.unwrap_or([512; 2])
    }

    fn view(&self) -> View<'static> {
        View {
            size: self.size(),
            yaw: self.yaw,
            pitch: self.pitch,
            bones: self.bones,
            background: self.background,
            ..View::default()
        }
    }

    /// Draws a scene at a time of a clip, or several frames of it.
    fn draw_clip(&self, scene: &Scene, clip: Option<&Clip>, images: &Images<'_>) -> Result<Picture> {
        let (start, end) = clip.and_then(Clip::span).unwrap_or_default();
        let seconds = self.time.unwrap_or(start);
        let last = f32::from((self.frames - 1).max(1));
        let at = |frame: u16| start + (end - start) * f32::from(frame) / last;
        let times: Vec<f32> =
            if self.contact_sheet { (0..self.frames).map(at).collect() } else { vec![seconds] };
        let blended = self.blend.over(clip, scene, &times, images.memory)?;
        let view = View { clip: blended.as_ref().or(clip), seconds, ..self.view() };
        if !self.contact_sheet {
            return draw(scene, &view, images);
        }
        let view = View { framed: times.clone(), ..view };
        let frame = |(index, seconds): (usize, f32)| -> Result<Labelled> {
            sheet::admit(index + 1, self.size(), images.memory)?;
            let picture = draw(scene, &View { seconds, ..view.clone() }, images)?;
            Ok(Labelled { label: format!("{seconds:.2} s"), picture })
        };
        sheet::arrange(
            &times.into_iter().enumerate().map(frame).collect::<Result<Vec<_>>>()?,
            self.background,
        )
    }
}

/// Ends the program after some seconds. A result is renamed to its place when it is complete, so it is there or not.
fn stop_after(seconds: u16) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds.into()));
        note!("bindpose: stopped after {}", counted(usize::from(seconds), "second"));
        std::process::exit(Exit::Limit as i32);
    });
}

fn is_empty(scene: &Scene) -> bool {
    scene.meshes.is_empty() && scene.skeleton.bones().is_empty()
}

fn nothing() -> Failure {
    Failure::new(Exit::Nothing, "no bones and no triangles; nothing was written")
}

/// Returns the clip with a name or an index.
fn find_clip<'a>(scene: &'a Scene, wanted: &str) -> Result<&'a Clip> {
    let by_index = || scene.clips.get(wanted.parse::<usize>().ok()?);
    match scene.find_clip(wanted) {
        Ok(index) => Ok(&scene.clips[index]),
        Err(why) => by_index().ok_or_else(|| Failure::usage(why.to_string())),
    }
}

/// The memory that the images of a picture may take.
const MAX_IMAGES: usize = 128 << 20;
/// The memory for each pixel of an image, with its smaller copies.
const PIXEL: usize = 6;

/// Where the images of textures come from.
struct Images<'a> {
    textures: &'a Textures,
    /// The largest width and height. More detail does not change the picture.
    most: u32,
    memory: &'a Memory,
    quiet: bool,
}

impl<'a> Images<'a> {
    /// The images of a scene, each once.
    fn of(
        scene: &mut Scene,
        textures: &'a Textures,
        view: &View<'_>,
        memory: &'a Memory,
        common: Common,
    ) -> Self {
        let num = textures.unify(scene).max(1);
        let share = u32::try_from((MAX_IMAGES / PIXEL / num).isqrt()).unwrap_or(u32::MAX);
        let most = (4 * view.size[0].max(view.size[1])).min(share).max(1);
        Self { textures, most, memory, quiet: common.quiet }
    }

    fn load(&self, texture: &str, budget: &Budget) -> Option<Picture> {
        let found = self.textures.find(texture)?;
        let bytes = self.textures.read(&found);
        match bytes.and_then(|bytes| self.textures.decode(&self.textures.name(&found), &bytes, budget)) {
            Ok(decoded) => {
                let mut image = decoded.image;
                if image.width().max(image.height()) > self.most {
                    image = image.thumbnail(self.most, self.most);
                }
                let image = image.into_rgba8();
                let pixels = image.pixels().map(|pixel| pixel.0).collect();
                budget.charge(u64::from(image.width()) * u64::from(image.height()) * PIXEL as u64).ok()?;
                Some(Picture { width: image.width(), height: image.height(), pixels })
            }
            Err(why) => {
                if !self.quiet {
                    note!("bindpose: texture {texture:?}: {why}");
                }
                None
            }
        }
    }
}

fn draw(scene: &Scene, view: &View<'_>, images: &Images<'_>) -> Result<Picture> {
    let canvas = render::canvas_memory(view.size);
    let drawn = images.memory.grant(canvas.saturating_add(render::memory(scene, view)))?;
    let drawing = render::draw(scene, view, |texture| images.load(texture, &drawn));
    if !images.quiet && !drawing.is_whole() {
        note!("bindpose: the picture is simplified: {}", simplified(&drawing));
    }
    Ok(drawing.picture)
}

fn simplified(drawing: &Drawing) -> String {
    let parts = [
        (drawing.repeated, "repeated triangle", "not drawn again"),
        (drawing.points, "triangle", "drawn as points"),
        (drawing.left_out, "bone or joint", "left out"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<_> = parts.map(|(count, what, how)| format!("{} {how}", counted(count, what))).collect();
    parts.join(", ")
}

fn encode(picture: Picture) -> Result<Vec<u8>> {
    let internal = |why: String| Failure::new(Exit::Bug, format!("internal error: {why}"));
    let bytes = picture.pixels.into_iter().flatten().collect();
    let image = RgbaImage::from_raw(picture.width, picture.height, bytes);
    let image = image.ok_or_else(|| internal("the picture has a wrong size".into()))?;
    let mut png = Cursor::new(Vec::new());
    image.write_to(&mut png, ImageFormat::Png).map_err(|error| internal(error.to_string()))?;
    Ok(png.into_inner())
}

#[cfg(test)]
mod tests {
    use super::color;

    #[test]
    fn colours_have_three_or_six_digits() {
        assert_eq!(color("#202428"), Ok([0x20, 0x24, 0x28]));
        assert_eq!([color("#fa0"), color("fa0")], [Ok([0xff, 0xaa, 0]), Ok([0xff, 0xaa, 0])]);
        for refused in ["#ff", "#ffff", "red", "#+12", ""] {
            assert!(color(refused).is_err(), "{refused}");
        }
    }
}
