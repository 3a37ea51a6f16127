//! A page with the viewer and the files.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec;
use serde_json::{Value as Json, json};

use super::{Preview, find_clip};
use crate::files::file_name;
use crate::load::{self, Buffers, Content};
use crate::output::percent_encoded;
use crate::prelude::*;
use crate::read::{MAX_TEXT, side_text};
use crate::scene::{models, scene_of_parts};
use crate::sidecars;
use crate::textures::{Found, read_image};
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

    /// Appends the elements of the file, which is in the folder of this index.
    fn push_to(&self, page: &mut String, folder: usize) {
        let format = self.specified.map(|spec| ("format", spec.to_string()));
        let folder = (folder > 0).then(|| ("folder", folder.to_string()));
        let name = ("file", file_name(&self.path).into_owned());
        push_element(page, [name].into_iter().chain(format).chain(folder), &self.bytes);
        for (path, bytes) in &self.buffers {
            push_element(page, [("buffer", path.clone())], bytes);
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
        for (file, folder) in files.iter().zip(folders(&files)) {
            file.push_to(&mut elements, folder);
        }
        let mut scene = self.page_scene(&files, &memory)?;
        elements.push_str(&self.view_element(&scene)?);
        for (image, references) in self.images(files, &mut scene, common) {
            let bytes = read_image(&image).in_file(&image)?;
            let attributes =
                [("file", file_name(&image).into_owned()), ("textures", textures_of(&references))];
            push_element(&mut elements, attributes, &bytes);
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
        let decoded =
            files.iter().filter_map(|own| Some((&*own.path, own.content.as_ref()?.as_scene_source())));
        let scene = scene_of_parts(decoded, &self.scene.settings(), memory.budget());
        let mut scene = scene.map_err(|error| match files {
            [own] => Failure::from(error).in_file(&own.path),
            files => Failure::from(error).of_limit(counted(files.len() as u64, "file")),
        })?;
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

    /// Returns the images of the textures that are found beside the files.
    fn images(&self, files: Vec<Embedded>, scene: &mut Scene, common: Common) -> Images {
        let search = self.textures.prepare(&self.inputs, self.limits);
        let mut own = BTreeMap::<_, OfFolder>::new();
        for (file, folder) in files.iter().zip(folders(&files)) {
            let of = own.entry(folder).or_default();
            of.paths.push(file.path.clone());
            of.embedded.extend(file.content.iter().flat_map(Content::images).map(|image| image.path.clone()));
        }
        let mut textures = search.of(files.iter().map(|file| &*file.path));
        textures.embed(files.into_iter().filter_map(|file| Some((file.path, file.content?))));
        // Of materials without a texture, the viewer looks for the name.
        let wanted = |own: &Material| own.color_texture().unwrap_or(&own.name).to_owned();
        let wanted: Vec<_> = scene.materials.iter().map(wanted).collect();
        let materials = scene.materials.clone();
        let missing = textures.attach(scene);
        if !common.quiet {
            textures.warn_of_missing(&missing);
        }
        let mut images = Images::new();
        let mut of_all = HashMap::new();
        for (material, wanted) in scene.materials.iter().zip(&wanted) {
            // The viewer takes the images that are parts of a file from it.
            if let Some(Found::File(image)) = material.color_texture().and_then(|own| textures.find(own)) {
                images.entry(image.clone()).or_default().insert((wanted.clone(), None));
                of_all.insert(wanted, image);
            }
        }
        if own.len() < 2 {
            return images;
        }
        // Files in other folders can mean other images by the same texts.
        for (folder, OfFolder { paths, embedded }) in own {
            let finder = search.of(paths.iter().map(|path| &**path)).finder;
            let mut scene = Scene { materials: materials.clone(), ..Scene::default() };
            finder.attach(&mut scene, |texture| embedded.contains(texture));
            for (material, wanted) in scene.materials.iter().zip(&wanted) {
                let texture = material.color_texture().filter(|texture| !embedded.contains(*texture));
                let Some(image) = texture.and_then(|texture| finder.find(texture)) else { continue };
                if of_all.get(wanted) != Some(&image) {
                    images.entry(image).or_default().insert((wanted.clone(), Some(folder)));
                }
            }
        }
        images
    }
}

/// The images of a page, with the texts of the textures that refer to each: for all files, or for those in a folder.
type Images = BTreeMap<PathBuf, BTreeSet<(String, Option<usize>)>>;

/// What is known of the files in a folder.
#[derive(Default)]
struct OfFolder {
    paths: Vec<Box<Path>>,
    /// The paths of images that are parts of them.
    embedded: HashSet<String>,
}

/// Returns the index of the folder of each file, in the order of the first file in each.
fn folders(files: &[Embedded]) -> Vec<usize> {
    let mut known = HashMap::new();
    let index = |file: &Embedded| {
        let next = known.len();
        *known.entry(file.path.parent().map(Path::to_owned)).or_insert(next)
    };
    files.iter().map(index).collect()
}

/// Returns what the viewer reads of an image: lists of the text of a texture and the folder, without one for all files.
fn textures_of(references: &BTreeSet<(String, Option<usize>)>) -> String {
    let lists = references.iter().map(|(texture, folder)| match folder {
        Some(folder) => json!([texture, folder]),
        None => json!([texture]),
    });
    Json::Array(lists.collect()).to_string()
}

/// Appends an element with compressed bytes, and the attributes `data-NAME`. Scripts of this type are data: browsers do not run them.
fn push_element(
    page: &mut String,
    attributes: impl IntoIterator<Item = (&'static str, String)>,
    bytes: &[u8],
) {
    page.push_str("<script type=\"application/octet-stream\"");
    for (name, value) in attributes {
        let _ = write!(page, " data-{name}=\"{}\"", escaped(&value));
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
