//! Scenes: what files mean, the same for all formats.

mod clip;
mod finite;
mod images;
mod make;
mod mesh;
mod preview;
mod read;
mod select;
mod write;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bindpose::Limits;
use bindpose::depot::ImageSearch;
use bindpose::formats::lost_without;
use bindpose::scene::render::View;
use bindpose::scene::{Lost, Retarget, Scene, Up};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

pub use clip::Clip;
pub use make::{restore_clip, restore_scene};
pub use read::{encoding_of, scene, sidecars};
pub use write::losses;

use {
    images::{SceneImage, SceneImages},
    make::Parts,
};

use crate::arrays::{list, tuple};
use crate::error::{exception, value_exception};
use crate::file::PyFile;
use crate::html;
use crate::input::{Entries, Name, name_of, path_or_stream};
use crate::records;
use crate::save::{save_all, write_to};

/// Bones, meshes, materials and clips of one or several files, in the conventions of glTF.
///
/// It is right-handed with Y up and Z towards the viewer. Lengths are in metres and times in seconds. Matrices multiply column
/// vectors. Quaternions are x, y, z, w. Triangles are counterclockwise, seen from outside. Texture coordinates start at the top
/// left.
///
/// >>> hero = bindpose.scene("hero.ms3d")
/// >>> [bone.name for bone in hero.skeleton.bones]
/// ['root', 'top']
/// >>> hero.meshes[0].positions.shape
/// (6, 3)
///
/// A scene can also be made of parts, and does not change: `replace` returns another one.
///
/// >>> square = bindpose.Mesh("square", positions=[[0, 0, 0], [1, 0, 0], [1, 1, 0]], triangles=[[0, 1, 2]])
/// >>> bindpose.Scene(meshes=[square]).write("square.x").losses
/// []
///
/// Args:
///     name: the name of files and objects without their own.
///     skeleton: the bones: a `Skeleton`, or a sequence of `Bone`.
///     meshes: the meshes: `Mesh`. Without `primitives`, `triangles` have no material. Without `joint_bones`, the joints are the
///         bones; without `inverse_binds`, they are bound in the bind pose of the skeleton.
///     materials: the materials: `Material`.
///     clips: the animations: `Clip`.
///     attachments: the named places on bones: `Attachment`.
///
/// Raises:
///     ValueError: if an array has another shape than documented, an index refers to nothing, or a number is infinite or NaN. The
///         message names the place.
#[pyclass(name = "Scene", module = "bindpose", frozen, weakref)]
#[derive(Debug)]
pub struct PyScene {
    scene: Arc<Scene>,
    name: String,
    images: SceneImages,
    /// The limits for each of the images.
    limits: Limits,
    meshes: OnceLock<Py<PyTuple>>,
    materials: OnceLock<Py<PyTuple>>,
    skeleton: OnceLock<Py<PyAny>>,
    clips: OnceLock<Py<PyTuple>>,
}

/// The coordinates of a point.
type Point = (f32, f32, f32);

/// The clip of a pose: a `Clip`, its index, or its name.
fn clip_of(scene: &Arc<Scene>, clip: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(clip) = clip else { return Ok(None) };
    if let Ok(own) = clip.cast::<Clip>() {
        return own.get().index_in(scene).map(Some);
    }
    if let Ok(name) = clip.extract::<String>() {
        let found = scene.clips.iter().position(|own| own.name == name);
        return found.ok_or_else(|| write::no_clip(scene, &name)).map(Some);
    }
    let index: isize =
        clip.extract().map_err(|_| PyTypeError::new_err("expected a clip, its name or its index"))?;
    let count = scene.clips.len();
    let missing = || PyIndexError::new_err(format!("clip {index} is out of range: the scene has {count}"));
    let place = if index < 0 { count.checked_add_signed(index) } else { usize::try_from(index).ok() };
    place.filter(|place| *place < count).ok_or_else(missing).map(Some)
}

/// Returns an object that is made when it is first asked for.
fn made_once<'py, T>(
    py: Python<'py>,
    cell: &OnceLock<Py<T>>,
    make: impl FnOnce() -> PyResult<Bound<'py, T>>,
) -> PyResult<Bound<'py, T>> {
    if let Some(known) = cell.get() {
        return Ok(known.bind(py).clone());
    }
    // Another thread may have been faster; its object is then used.
    let new = make()?.unbind();
    Ok(cell.get_or_init(|| new).bind(py).clone())
}

impl PyScene {
    /// Returns the only file of a format that represents the scene.
    pub fn file(
        &self,
        py: Python<'_>,
        format: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyFile> {
        let settings = write::settings(options)?;
        let file = write::file(py, &self.scene, &self.name, format, &settings)?;
        Ok(PyFile::of(file, self.name.clone()))
    }

    fn new(scene: Scene, name: String) -> Self {
        Self {
            scene: Arc::new(scene),
            name,
            images: SceneImages::new(),
            limits: Limits::default(),
            meshes: OnceLock::new(),
            materials: OnceLock::new(),
            skeleton: OnceLock::new(),
            clips: OnceLock::new(),
        }
    }

    /// Returns another scene with the name, the images and the limits of this one.
    fn with_scene(&self, scene: Scene) -> Self {
        Self { images: self.images.clone(), limits: self.limits, ..Self::new(scene, self.name.clone()) }
    }

    /// Finds the images of textures beside files, and below other directories, in addition to those that are known.
    fn find_images(
        mut scene: Scene,
        name: String,
        (known, limits): (SceneImages, Limits),
        files: &[PathBuf],
        textures: &[PathBuf],
    ) -> Self {
        let roots = files.iter().filter(|path| path.is_dir());
        let finder = ImageSearch::new(roots, textures).of(files);
        finder.attach(&mut scene, |texture| known.contains_key(texture));
        let textures = scene.materials.iter().flat_map(|material| &material.textures).map(|own| &own.path);
        let found =
            |path: &String| known.get(path).cloned().or_else(|| finder.find(path).map(SceneImage::File));
        let images = textures.filter_map(|path| Some((path.clone(), found(path)?))).collect();
        Self { images, limits, ..Self::new(scene, name) }
    }
}

#[pymethods]
impl PyScene {
    #[new]
    #[pyo3(signature = (*, name=Name("scene".to_owned()), skeleton=None, meshes=None, materials=None, clips=None, attachments=None))]
    fn made(
        name: Name,
        skeleton: Option<&Bound<'_, PyAny>>,
        meshes: Option<&Bound<'_, PyAny>>,
        materials: Option<&Bound<'_, PyAny>>,
        clips: Option<&Bound<'_, PyAny>>,
        attachments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let parts = Parts { skeleton, meshes, materials, clips, attachments };
        Ok(Self::new(parts.into_scene(Scene::default())?, name.0))
    }

    /// Returns the scene with other parts, as for the constructor; those that are not given stay.
    ///
    /// Only a scene that has numbers which are infinite or NaN, as some files do, can get parts with such.
    ///
    /// >>> hero = bindpose.scene("hero.ms3d")
    /// >>> hero.replace(clips=[]).clips
    /// ()
    ///
    /// Raises:
    ///     ValueError: as the constructor.
    #[pyo3(signature = (*, name=None, skeleton=None, meshes=None, materials=None, clips=None, attachments=None))]
    fn replace(
        &self,
        name: Option<Name>,
        skeleton: Option<&Bound<'_, PyAny>>,
        meshes: Option<&Bound<'_, PyAny>>,
        materials: Option<&Bound<'_, PyAny>>,
        clips: Option<&Bound<'_, PyAny>>,
        attachments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let parts = Parts { skeleton, meshes, materials, clips, attachments };
        let scene = parts.into_scene(Scene::clone(&self.scene))?;
        let made = self.with_scene(scene);
        Ok(Self { name: name.map_or(made.name, |name| name.0), ..made })
    }

    /// The name of the first file, without folder and extension.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The bones with their bind pose: a `Skeleton`.
    #[getter]
    fn skeleton<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        made_once(py, &self.skeleton, || mesh::skeleton(py, &self.scene))
    }

    /// The named places on bones, such as sockets: a tuple of `Attachment`.
    #[getter]
    fn attachments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        tuple(py, &self.scene.attachments, |own| mesh::attachment(py, own))
    }

    /// The meshes: a tuple of `Mesh`.
    #[getter]
    fn meshes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        made_once(py, &self.meshes, || tuple(py, &self.scene.meshes, |own| mesh::mesh(py, own)))
    }

    /// The materials: a tuple of `Material`.
    #[getter]
    fn materials<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        made_once(py, &self.materials, || tuple(py, &self.scene.materials, |own| mesh::material(py, own)))
    }

    /// The images of textures, by the names in `Material.textures`: their paths, or their bytes where they are parts of glTF. Textures
    /// without an image are left out.
    ///
    /// >>> bindpose.scene("hero.ms3d").images
    /// {}
    #[getter]
    fn images(&self) -> SceneImages {
        self.images.clone()
    }

    /// Returns the scene with the images that are found beside files. `scene` finds those beside files that are given by path.
    ///
    /// A texture is searched in the directory of each file by its path and by its name alone, ignoring case, with any extension of an
    /// image. Materials without a colour texture, as in PSK files, get the image with their name, and those that UE Viewer's `NAME.mat`
    /// or `NAME.props.txt` lists.
    ///
    /// >>> bindpose.scene("body.psk").with_images("body.psk").images
    /// {}
    ///
    /// Args:
    ///     files: the files that the scene was built from, or directories that contain them.
    ///     textures: directories that are searched with all below them.
    #[pyo3(signature = (*files, textures=Vec::new()))]
    fn with_images(&self, py: Python<'_>, files: Vec<PathBuf>, textures: Vec<PathBuf>) -> Self {
        let known = self.images.clone().into_iter();
        let known = known.filter(|(_, own)| matches!(own, SceneImage::Embedded(_))).collect();
        py.detach(|| {
            let known = (known, self.limits);
            Self::find_images(Scene::clone(&self.scene), self.name.clone(), known, &files, &textures)
        })
    }

    /// The animations: a tuple of `Clip`.
    #[getter]
    fn clips<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let clip = |index| Ok(Bound::new(py, Clip::new(&self.scene, index))?.into_any());
        made_once(py, &self.clips, || tuple(py, 0..self.scene.clips.len(), clip))
    }

    /// What the scene does not represent: a list of `Loss`. Blend masks, blend profiles and retargeting, which only `write` uses, are
    /// listed too.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let hidden = [Lost::Masks, Lost::BlendProfiles, Lost::Retargeting];
        let unwritten = lost_without(&self.scene, &self.name, &[]);
        let hidden = unwritten.into_iter().filter(|loss| hidden.contains(&loss.lost));
        losses(py, &self.scene.losses.iter().cloned().chain(hidden).collect::<Vec<_>>())
    }

    /// The records of the files that vertices and keys come from: a list of `Source`.
    ///
    /// Values that are computed from several fields, and those of glTF files, have no source.
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.scene.sources, |own| mesh::source(py, own))
    }

    /// The corners of the box around all vertices in the bind pose, in metres; `None` if there are none.
    #[getter]
    fn bounds(&self) -> Option<(Point, Point)> {
        self.scene.bounds().map(|bounds| (bounds.min.into(), bounds.max.into()))
    }

    /// Returns the vertices of every mesh in model space, with skin and morph targets: a list of `PosedMesh`.
    ///
    /// >>> run = bindpose.scene("body.psk", "run.psa", rate=30)
    /// >>> run.posed(run.clips[0], 0.5)[0].positions.shape == run.meshes[0].positions.shape
    /// True
    ///
    /// Args:
    ///     clip: a clip of this scene, its name or its index; the bind pose by default.
    ///     seconds: the time.
    ///
    /// Raises:
    ///     ValueError: if no clip has the name, or the time is not a number.
    #[pyo3(signature = (clip=None, seconds=0.0))]
    fn posed<'py>(
        &self,
        py: Python<'py>,
        clip: Option<&Bound<'py, PyAny>>,
        seconds: f32,
    ) -> PyResult<Bound<'py, PyList>> {
        clip::is_time(seconds)?;
        let clip = clip_of(&self.scene, clip)?.and_then(|index| self.scene.clips.get(index));
        let posed = py.detach(|| self.scene.posed(clip, seconds));
        list(py, &posed, |own| mesh::posed(py, own))
    }

    /// Returns the scene with bones whose bind pose has no scale, where vertices can stay where they are at any time.
    ///
    /// The scale moves to the inverse bind matrices, to meshes without a skin, to children and clips. A bone keeps a non-uniform
    /// scale if a clip turns or scales a bone below it.
    fn move_bind_scale(&self, py: Python<'_>) -> Self {
        let scene = py.detach(|| {
            let mut scene = Scene::clone(&self.scene);
            scene.move_bind_scale();
            scene
        });
        self.with_scene(scene)
    }

    /// Returns the scene as the bytes of a `.glb` file.
    ///
    /// >>> hero = bindpose.scene("hero.ms3d")
    /// >>> hero.to_glb()[:4]
    /// b'glTF'
    /// >>> linked = hero.to_glb({texture: "skin.png" for texture in hero.materials[0].textures})
    /// >>> b"skin.png" in linked
    /// True
    ///
    /// Args:
    ///     images: the images by the path of their texture, as in `Material.textures`: the bytes of a file, its path as in `Scene.images`,
    ///         or as a string the URI of a PNG or JPEG file. Other formats are converted to PNG. Other textures are left out.
    ///
    /// Raises:
    ///     OSError: if an image cannot be read.
    ///     BindposeError: if the file exceeds 4 GiB, or an image cannot be decoded.
    #[pyo3(signature = (images=None))]
    fn to_glb<'py>(&self, py: Python<'py>, images: Option<images::Images>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| images::gltf(&self.scene, images.as_ref()).to_glb());
        Ok(PyBytes::new(py, &bytes.map_err(|error| exception(py, &error, None))?))
    }

    /// Returns the scene as the text of a `.gltf` file with an embedded buffer; `images` as for `to_glb`.
    #[pyo3(signature = (images=None))]
    fn to_gltf(&self, py: Python<'_>, images: Option<images::Images>) -> PyResult<String> {
        let bytes = py.detach(|| images::gltf(&self.scene, images.as_ref()).to_gltf());
        Ok(String::from_utf8(bytes.map_err(|error| exception(py, &error, None))?)?)
    }

    /// Writes the scene as files, and returns a `Written`: the paths and what the files do not represent.
    ///
    /// The extensions determine the formats: `.glb`, `.gltf`, or that of a format with `Format.writable`. Give a path for each part
    /// of a set: `hero.psk` for the mesh and `hero.psa` for the clips. A format with one clip or material per file gives several
    /// files beside the path. The images that the scene has are embedded in glTF, as PNG unless they are JPEG.
    ///
    /// >>> written = bindpose.scene("hero.ms3d").write("copy.ms3d")
    /// >>> [path.name for path in written.paths]
    /// ['copy.ms3d']
    ///
    /// Args:
    ///     paths: the files; existing ones are replaced. A file object gets the bytes of its file; without a name it needs `format`.
    ///     format: the name of the format, with its dialect or version: `"x:bin"`. By default, the extension determines it.
    ///     up: the up axis of the files, `"y"` or `"z"`; by default the convention of the format.
    ///     unit: the length of a unit of the files in metres; by default that of the format.
    ///     rate: frames per second, for formats with a fixed rate.
    ///     max_influences: the maximum number of influences per vertex.
    ///     tangents: whether to compute tangents if the format stores them and the scene has none.
    ///     clip: the name of the clip, for formats with one clip per file.
    ///     program: the program that psk and psa files are for: `"ue2"`, `"ue4"`, `"blender"` or `"umodel"`.
    ///
    /// Raises:
    ///     OSError: if a file cannot be written.
    ///     BindposeError: if scenes cannot be written in a format, or the scene exceeds a limit of it.
    ///     ValueError: if no clip has the name.
    #[pyo3(signature = (*paths, format=None, **options))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        paths: Vec<Bound<'py, PyAny>>,
        format: Option<&str>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let settings = write::settings(options)?;
        let (mut names, mut streams) = (Vec::new(), Vec::new());
        for given in &paths {
            let path = path_or_stream(given)?;
            streams.push(path.is_none().then_some(given));
            let name = path.or_else(|| name_of(given));
            if name.is_none() && format.is_none() {
                return Err(PyTypeError::new_err("a file object without a name needs format="));
            }
            names.push(name.unwrap_or_else(|| self.name.clone().into()));
        }
        let drafts = write::Draft::all(py, names, format)?;
        let (files, lost) = write::files(py, &self.scene, (&self.images, self.limits), &drafts, &settings)?;
        let pairs = || files.iter().zip(&streams);
        let on_disk = || {
            let pairs = pairs().zip(&drafts).filter(|((_, stream), _)| stream.is_none());
            pairs.flat_map(|((own, _), draft)| own.iter().map(move |file| (file, draft)))
        };
        if let Some((own, _)) = pairs().find(|(own, stream)| stream.is_some() && own.len() != 1) {
            let why = format!("the scene has {} files of this format; encode() returns all", own.len());
            return Err(value_exception(py, "", why));
        }
        save_all(py, on_disk().map(|((path, bytes), draft)| (&**path, &**bytes, draft.is_at(path))))?;
        for (own, stream) in pairs() {
            if let (Some(stream), [(_, bytes)]) = (stream, &own[..]) {
                write_to(stream, &PyBytes::new(py, bytes))?;
            }
        }
        let paths: Vec<_> = on_disk().map(|((path, _), _)| path.clone()).collect();
        records::make(py, "Written", (paths, losses(py, &lost)?))
    }

    /// Returns the files that represent the scene in some formats, by name.
    ///
    /// >>> list(bindpose.scene("body.psk", "run.psa").encode("psk", "psa"))
    /// ['body.psk', 'body.psa']
    ///
    /// Args:
    ///     formats: the names of formats, as for `write`.
    ///     options: the other keyword arguments of `write`.
    ///
    /// Raises:
    ///     BindposeError: as `write`.
    #[pyo3(signature = (*formats, **options))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        formats: Vec<String>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let formats = formats.into_iter().map(|format| (format, false)).collect();
        Ok(self.converted(py, formats, options)?.0)
    }

    /// As `encode`, with what the files do not represent. Each format has whether it is one of a family, which may have no files.
    #[pyo3(name = "_converted", signature = (formats, **options))]
    fn converted<'py>(
        &self,
        py: Python<'py>,
        formats: Vec<(String, bool)>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyList>)> {
        let settings = write::settings(options)?;
        let draft =
            |(format, is_family): &(String, bool)| write::Draft::of(py, &self.name, format, *is_family);
        let drafts = formats.iter().map(draft);
        let drafts = drafts.collect::<PyResult<Vec<_>>>()?;
        let (files, lost) = write::files(py, &self.scene, (&self.images, self.limits), &drafts, &settings)?;
        let encoded = PyDict::new(py);
        for (path, bytes) in files.into_iter().flatten() {
            let name = path.to_string_lossy();
            if encoded.contains(&*name)? {
                return Err(PyValueError::new_err(format!("{name}: several files would have this name")));
            }
            encoded.set_item(name, PyBytes::new(py, &bytes))?;
        }
        Ok((encoded, losses(py, &lost)?))
    }

    /// Returns a picture of the scene as the bytes of a PNG file, as `bindpose preview` draws it.
    ///
    /// >>> bindpose.scene("hero.ms3d").preview(size=(64, 64))[1:4]
    /// b'PNG'
    ///
    /// Args:
    ///     clip: a clip of this scene, its name or its index; the bind pose by default.
    ///     seconds: the time.
    ///     size: width and height in pixels, at most 2048.
    ///     yaw: the direction of the camera in degrees: 0 is in front of the model, 90 is on the positive X axis.
    ///     pitch: the elevation of the camera in degrees.
    ///     bones: whether bones are drawn over the meshes.
    ///     background: red, green and blue from 0 to 255; transparent by default.
    ///
    /// Raises:
    ///     ValueError: if the size is 0 or too large, no clip has the name, or the time is not a number.
    #[pyo3(signature = (clip=None, seconds=0.0, *, size=(512, 512), yaw=30.0, pitch=15.0, bones=false, background=None))]
    #[expect(clippy::too_many_arguments, reason = "arguments by name")]
    fn preview<'py>(
        &self,
        py: Python<'py>,
        clip: Option<&Bound<'py, PyAny>>,
        seconds: f32,
        size: (i64, i64),
        yaw: f32,
        pitch: f32,
        bones: bool,
        background: Option<[i64; 3]>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let size = preview::pixels(size)?;
        let background = background.map(|own| preview::color(&own)).transpose()?;
        clip::is_time(seconds)?;
        let clip = clip_of(&self.scene, clip)?.and_then(|index| self.scene.clips.get(index));
        let view = View { size, clip, seconds, yaw, pitch, bones, background, ..View::default() };
        let png = py.detach(|| preview::png(&self.scene, &self.images, &view, self.limits));
        Ok(PyBytes::new(py, &png.map_err(|error| PyValueError::new_err(error.to_string()))?))
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.preview(py, None, 0.0, (256, 256), 30.0, 15.0, false, None)
    }

    /// Returns the scene with some of its clips, or with the triangles of some meshes or materials and what they use.
    ///
    /// >>> run = bindpose.scene("body.psk", "run.psa", rate=30)
    /// >>> [clip.name for clip in run.select(clips="W*").clips]
    /// ['Wave']
    ///
    /// Args:
    ///     clips: names, globs such as `walk*`, or patterns of `re.compile`; one or a sequence of them. All by default.
    ///     meshes: as `clips`, for the meshes and the groups of triangles in them.
    ///     materials: as `clips`, for the materials that triangles have.
    ///
    /// Raises:
    ///     ValueError: if nothing has one of the names.
    #[pyo3(signature = (*, clips=None, meshes=None, materials=None))]
    fn select(
        &self,
        clips: Option<&Bound<'_, PyAny>>,
        meshes: Option<&Bound<'_, PyAny>>,
        materials: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let scene = select::selected(&self.scene, clips, meshes, materials)?;
        Ok(self.with_scene(scene))
    }

    /// Returns this scene with the clips of another one in addition, fitted to its bones.
    ///
    /// Bones are paired by name; bones without a pair keep their bind pose. Both skeletons must have the same pose and orientation in their bind poses.
    ///
    /// >>> hero = bindpose.scene("hero.ms3d")
    /// >>> [len(clip.tracks) for clip in hero.replace(clips=[]).retarget(hero, bones={"top": "root"}).clips]
    /// [1]
    ///
    /// Args:
    ///     other: the scene with the clips and their skeleton.
    ///     bones: the names of bones of this scene by those of the other, for bones with other names.
    ///
    /// Raises:
    ///     ValueError: if a bone has no such name, no bones are paired, or the other scene has no bind pose.
    #[pyo3(signature = (other, *, bones=None))]
    fn retarget(
        &self,
        py: Python<'_>,
        other: &Self,
        bones: Option<Entries<String, String>>,
    ) -> PyResult<Self> {
        let pairs =
            select::pairs(&other.scene, &self.scene, &bones.into_iter().flat_map(|own| own.0).collect())?;
        let retarget = Retarget::new(&other.scene.skeleton, &self.scene.skeleton, &pairs);
        if !retarget.has_bind_pose() {
            return Err(PyValueError::new_err("the other scene has no bind pose; add its mesh or skeleton"));
        }
        let mut scene = Scene::clone(&self.scene);
        scene.clips.extend(
            py.detach(|| other.scene.clips.iter().map(|clip| retarget.clip(clip)).collect::<Vec<_>>()),
        );
        Ok(self.with_scene(scene))
    }

    /// Scenes are pickled as their parts, without `losses` and `sources`.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        let parts = PyDict::new(py);
        for name in ["name", "skeleton", "meshes", "materials", "clips", "attachments"] {
            parts.set_item(name, slf.getattr(name)?)?;
        }
        let restore = py.import("bindpose._bindpose")?.getattr("_restore_scene")?;
        Ok((restore, (parts, own.images.clone())).into_pyobject(py)?.into_any())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let Scene { skeleton, meshes, materials, clips, .. } = &*self.scene;
        let names = |names: Vec<&str>| {
            let rest = names.len().saturating_sub(20);
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            names[..names.len() - rest].join(", ") + &more
        };
        let sizes = meshes.iter().map(|own| (own.positions.len(), own.num_triangles()));
        let (vertices, triangles) = sizes.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let rows = [
            ("bones", names(skeleton.bones().iter().map(|own| own.name.as_str()).collect())),
            ("meshes", names(meshes.iter().map(|own| own.name.as_str()).collect())),
            ("vertices", vertices.to_string()),
            ("triangles", triangles.to_string()),
            ("materials", names(materials.iter().map(|own| own.name.as_str()).collect())),
            ("clips", names(clips.iter().map(|own| own.name.as_str()).collect())),
        ];
        html::table(py, &self.name, rows)
    }

    /// Scenes are equal if their names and parts are, wherever these come from.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>().map(Bound::get);
        other.is_ok_and(|other| self.name == other.name && clip::have_same_parts(&self.scene, &other.scene))
    }

    fn __hash__(&self) -> u64 {
        let Scene { skeleton, meshes, clips, .. } = &*self.scene;
        clip::hash_of(&(&self.name, skeleton.bones().len(), meshes.len(), clips.len()))
    }

    fn __repr__(&self) -> String {
        let Scene { skeleton, meshes, clips, .. } = &*self.scene;
        let (bones, meshes, clips) = (skeleton.bones().len(), meshes.len(), clips.len());
        format!("<Scene {:?}, bones: {bones}, meshes: {meshes}, clips: {clips}>", self.name)
    }
}

pub fn axis(name: Option<&str>) -> PyResult<Option<Up>> {
    match name {
        None => Ok(None),
        Some("y" | "Y") => Ok(Some(Up::Y)),
        Some("z" | "Z") => Ok(Some(Up::Z)),
        Some(other) => Err(PyValueError::new_err(format!("expected up=\"y\" or \"z\", got {other:?}"))),
    }
}
