//! A page with the viewer and the files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec;

use super::{Preview, find_clip};
use crate::decode;
use crate::files::file_name;
use crate::load::{self, Buffers, Content};
use crate::output::percent_encoded;
use crate::prelude::*;
use crate::read::{MAX_TEXT, side_text};
use crate::scene::{models, scene_of_parts};
use crate::sidecars;
use crate::textures::Found;
use bindpose::depot::is_image;
use bindpose::scene::{Material, Scene, Settings, Up};

/// The place in the viewer for files.
const MARKER: &str = "<!-- files -->";
/// The level of compression of files.
const LEVEL: u8 = 6;

/// The viewer that this program was built with.
#[cfg(viewer)]
const VIEWER: Option<&str> = Some(include_str!(env!("BINDPOSE_VIEWER_PAGE")));
#[cfg(not(viewer))]
const VIEWER: Option<&str> = None;

#[derive(Args)]
pub(super) struct PageArgs {
    /// The viewer for a .html file: viewer.html of a release, or as built in `bindings/web` [default: the one of this program, if it
    /// was built with one]
    #[arg(long, value_name = "PAGE", help_heading = "Output options")]
    viewer: Option<PathBuf>,
}

impl PageArgs {
    fn viewer(&self) -> Result<Cow<'static, str>> {
        let Some(path) = &self.viewer else {
            let help =
                "build viewer.html as bindings/web/README.md describes, and specify it with --viewer PAGE";
            let none = || Failure::usage("this program was built without a viewer").with_help(help);
            return VIEWER.map(Cow::from).ok_or_else(none);
        };
        let text = side_text(path, MAX_TEXT)?;
        if text.matches(MARKER).count() == 1 {
            return Ok(text.into());
        }
        Err(Failure::usage("not a viewer of bindpose").in_file(path))
    }
}

struct Embedded {
    path: Box<Path>,
    /// None for glTF.
    kind: Option<FileKind>,
    /// The format that the user specified.
    specified: Option<FormatSpec>,
    bytes: Vec<u8>,
    buffers: Buffers,
    /// None if it cannot be decoded; the viewer shows its bytes.
    content: Option<Content>,
}

impl Embedded {
    fn load(path: Box<Path>, specified: Option<FormatSpec>, memory: &Memory) -> Result<Self> {
        let (bytes, spec) = load::read(&path, specified, memory)?;
        if load::is_gltf(&bytes, &spec) {
            let (imported, buffers) = load::gltf_with_buffers(&bytes, &path, memory)?;
            let content = Some(Content::Gltf(Box::new(imported)));
            return Ok(Self { path, kind: None, specified, bytes, buffers, content });
        }
        let spec = spec.map_err(|error| load::foreign(&path, &error))?;
        let file = spec.kind.decode(&bytes, &memory.options(spec, bytes.len())).ok();
        let content = file.map(Content::File);
        Ok(Self { path, kind: Some(spec.kind), specified, bytes, buffers: Buffers::new(), content })
    }

    /// The path and the format; none for glTF.
    fn supported(&self) -> Option<(&Path, FileKind)> {
        Some((&self.path, self.kind?))
    }

    fn push_to(&self, page: &mut String) {
        let format = self.specified.map(|spec| spec.to_string());
        let format = format.as_deref().map(|format| ("format", format));
        push_element(page, ("file", &file_name(&self.path)), format, &self.bytes);
        for (path, bytes) in &self.buffers {
            push_element(page, ("buffer", path), None, bytes);
        }
    }
}

impl Preview {
    /// Returns the viewer with all files and the images of their textures.
    pub(super) fn page(&self, common: Common) -> Result<Vec<u8>> {
        let viewer = self.page.viewer()?;
        let memory = self.limits.memory();
        let files = self.embedded(&memory, common)?;
        if files.is_empty() {
            return Err(self.inputs.nothing());
        }
        let mut elements = String::new();
        for file in &files {
            file.push_to(&mut elements);
        }
        let mut scene = self.page_scene(&files, &memory)?;
        elements.push_str(&self.view_element(&scene)?);
        for (name, image) in self.images(files, &mut scene, common) {
            let bytes = decode::read(&image).blame(&image)?;
            push_element(&mut elements, ("file", &name), None, &bytes);
        }
        Ok(viewer.replacen(MARKER, &elements, 1).into_bytes())
    }

    fn embedded(&self, memory: &Memory, common: Common) -> Result<Vec<Embedded>> {
        let mut files = Vec::new();
        for item in models(self.inputs.list()?) {
            item.is_listed()?;
            match Embedded::load(item.path.clone(), item.spec, memory) {
                Err(failure) if failure.is_foreign(&item) => {}
                loaded => files.push(loaded?),
            }
        }
        let beside = self.textures.sidecars.of(files.iter().filter_map(Embedded::supported));
        for own in &beside {
            let sidecar = Embedded::load(own.path.as_path().into(), Some(own.kind.into()), memory)?;
            files.push(Embedded { specified: None, ..sidecar });
        }
        sidecars::report(&beside, common);
        // The viewer keeps this order.
        if !self.textures.sidecars.no_sidecars {
            sidecars::put_in_order(&mut files, Embedded::supported);
        }
        Ok(files)
    }

    fn page_scene(&self, files: &[Embedded], memory: &Memory) -> Result<Scene> {
        let decoded = files.iter().filter_map(|own| Some((&*own.path, own.content.as_ref()?.meaning())));
        let mut scene = scene_of_parts(decoded, &self.scene.settings(), memory.budget())?;
        self.ranges.cut(&mut scene)?;
        Ok(scene)
    }

    /// Returns the element with the view that is wanted, in the notation of the viewer's addresses.
    fn view_element(&self, scene: &Scene) -> Result<String> {
        let mut view = format!("view={},{}", self.yaw, self.pitch);
        if let Some(clip) = self.clip.as_deref().map(|clip| find_clip(scene, clip)).transpose()? {
            let _ = write!(view, "&clip={}", encoded(&clip.name));
        }
        if let ranges @ [_, ..] = &*self.ranges.ranges {
            let lines: Vec<_> = ranges.iter().map(ToString::to_string).collect();
            let _ = write!(view, "&ranges={}", encoded(&lines.join("\n")));
        }
        if let Some(time) = self.time {
            let _ = write!(view, "&t={time}");
        }
        let Settings { unit, up, .. } = self.scene.settings();
        if let Some(unit) = unit {
            let _ = write!(view, "&unit={unit}");
        }
        if let Some(up) = up {
            view.push_str(if up == Up::Z { "&up=z" } else { "&up=y" });
        }
        if self.bones {
            view.push_str("&bones=1");
        }
        if self.scene.input.no_colors {
            view.push_str("&colors=0");
        }
        if let Some([red, green, blue]) = self.background {
            let _ = write!(view, "&background=%23{red:02x}{green:02x}{blue:02x}");
        }
        Ok(format!("<script type=\"application/octet-stream\" data-view=\"{}\"></script>\n", escaped(&view)))
    }

    /// Returns the images of the textures that are found beside the files, with the names that the viewer looks for.
    fn images(&self, files: Vec<Embedded>, scene: &mut Scene, common: Common) -> BTreeMap<String, PathBuf> {
        let search = self.textures.prepare(&self.inputs, self.limits);
        let mut textures = search.of(files.iter().map(|file| &*file.path));
        textures.embed(files.into_iter().filter_map(|file| Some((file.path, file.content?))));
        // Of materials without a texture, the viewer looks for the name.
        let wanted = |own: &Material| own.color_texture().unwrap_or(&own.name).to_owned();
        let wanted: Vec<_> = scene.materials.iter().map(wanted).collect();
        let missing = textures.attach(scene);
        if !common.quiet {
            textures.warn_of_missing(&missing);
        }
        let found = scene.materials.iter().zip(&wanted).filter_map(|(material, wanted)| {
            // The viewer takes the images that are parts of a file from it.
            match textures.find(material.color_texture()?)? {
                Found::File(image) => Some((image_name(wanted, &image), image)),
                Found::Embedded(_) => None,
            }
        });
        found.collect()
    }
}

/// Returns the name of an image: its own, if that is the wanted one but for the extension.
fn image_name(wanted: &str, image: &Path) -> String {
    let own = file_name(image).into_owned();
    let name = Path::new(wanted.rsplit(['/', '\\']).next().unwrap_or_default());
    let stem =
        if is_image(name) { name.with_extension("") } else { name.to_owned() }.to_string_lossy().into_owned();
    let Some(extension) = image.extension().map(|own| format!(".{}", own.to_string_lossy())) else {
        return own;
    };
    let is_own = own.strip_suffix(&*extension).is_some_and(|own| own.eq_ignore_ascii_case(&stem));
    if is_own { own } else { stem + &extension }
}

/// Appends an element with compressed bytes, and the attributes `data-NAME`. Scripts of this type are data: browsers do not run them.
fn push_element(page: &mut String, what: (&str, &str), format: Option<(&str, &str)>, bytes: &[u8]) {
    page.push_str("<script type=\"application/octet-stream\"");
    for (name, value) in [Some(what), format].into_iter().flatten() {
        let _ = write!(page, " data-{name}=\"{}\"", escaped(value));
    }
    page.push_str(" data-packed=\"deflate-raw\">");
    STANDARD.encode_string(compress_to_vec(bytes, LEVEL), page);
    page.push_str("</script>\n");
}

/// Returns a text as a value in an address.
fn encoded(text: &str) -> String {
    percent_encoded(text, b"-_.")
}

/// Returns a text as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}
