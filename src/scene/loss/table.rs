//! The table of losses: everything that files and scenes can lose.

use super::{Avoid, Loss, LossKind};

/// A row of the table. In the texts, `{}` is replaced by the detail of a loss.
pub(super) struct Row {
    pub kind: LossKind,
    pub what: &'static str,
    pub why: &'static str,
    pub avoid: Option<Avoid>,
}

const INVALID: &str = "their values are invalid";
const NOT_READ: &str = "a scene cannot represent them";
const NOT_STORED: &str = "the format does not store them";
const NO_FILE: &str = "none of the written files stores it";
const NO_VERTEX: &str = "their number differs from that of the vertices";
const SHEAR: &str = "transforms cannot represent shear; the nearest one without shear is used";
const SURPLUS: &str = "values follow the last member; their number is greater than the count";
const TOO_MANY: &str = "they are too many";
const UNKNOWN: &str = "a scene cannot represent them, or their layout is unknown";

macro_rules! table {
    (@) => { None };
    (@ $avoid:ident) => { Some(Avoid::$avoid) };
    ($($kind:ident { $($name:ident: $what:literal, $why:expr $(, $avoid:ident)?;)+ })+) => {
        /// What is lost, and why.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "their texts are in the table")]
        pub enum Lost {$($($name,)+)+}

        impl Lost {
            /// The whole table, the gravest kind first.
            pub const ALL: &[Self] = &[$($(Self::$name,)+)+];

            pub(super) const fn row(self) -> Row {
                match self {$($(
                    Self::$name => {
                        Row { kind: LossKind::$kind, what: $what, why: $why, avoid: table!(@ $($avoid)?) }
                    }
                )+)+}
            }
        }
    };
}

table! {
    Geometry {
        AddedBone: "the skeleton", "the program needs a bone: {} is added";
        ClampedDirections: "directions", "they have no length; replaced by up";
        CornersWithoutNormal: "corners without a normal", "the normals of the surrounding faces are used";
        Damage: "what follows the damage", "{}";
        DeepParents: "links to parents", "deeper than readers of glTF support; these bones become roots";
        DegenerateTriangles: "triangles", "two corners are the same point";
        DroppedInfluences: "influences", "dropped; {} others on the vertices are stronger";
        Faces: "faces", "they refer to vertices that do not exist, or have fewer than three corners";
        FlippedFaces: "orders of corners", "most faces oppose their normals; all are flipped";
        FlippingFaces: "faces", "most oppose their normals, and readers turn such submeshes over";
        FullWeight: "scale of weights", "some are greater than 100; 255 is assumed to mean 1", FullWeight;
        Influences: "influences", "they refer to bones or vertices that do not exist, or are not positive";
        InvalidObjects: "{}", INVALID;
        InverseBinds: "inverse bind matrices", "not finite; replaced by the identity";
        LastBone: "bones", "the last bone is stored twice";
        LengthsOfDirections: "lengths of directions", "not 1; normalised";
        LooseVertices: "vertices", "without influence; attached to the bone {}, because all vertices of a skinned mesh need a bone";
        MeshInstances: "further instances of meshes", "each mesh is in the scene once";
        MeshWithoutTriangles: "", "it has no triangles";
        MissingSkeleton: "the skeleton", "the file does not contain the hierarchy of bones; add the mesh or skeleton file";
        MixedBinding: "vertices", "their bones are not in one pose when the mesh is bound; they move differently";
        MorphShapes: "morph targets", "they have a name without a shape, or a shape without a name";
        MorphTangents: "tangents of morph targets", NOT_READ;
        MorphTexCoords: "texture coordinates of morph targets", "glTF's targets move and turn only";
        MorphVertices: "vertices of morph targets", "they do not match those of the mesh, or are too many";
        Morphs: "morph targets", NOT_STORED;
        NonFinite: "numbers", "not finite, or too large; 0 is written";
        NonFiniteBones: "poses of bones", "not finite; replaced by the identity";
        NormalCount: "normals", NO_VERTEX;
        NormalLists: "lists of normals", "only the first list of a mesh is used";
        NormalsComputed: "normals", "programs compute them from the faces";
        NormalsNotUnit: "normals", "not of unit length; they are normalised";
        NormalsWithoutDirection: "normals", "zero or not finite; those of the faces around are used";
        OtherAttributes: "attributes of vertices", NOT_READ;
        Parents: "links to parents", "cyclic, repeated or out of range; these bones become roots";
        Primitives: "primitives", "points and lines are not read";
        ShearedBones: "sheared bones", SHEAR;
        RestPoses: "poses of bones", "the bind pose of the skins replaces them, except in clips";
        ShapeExtension: "extension {}", "it is not supported";
        SkinBones: "bones of a skin", "no frame has their name";
        SkinJoints: "the skin", "glTF supports at most 65536 joints";
        SocketBone: "", "no bone is called {}";
        SocketsNotRead: "attachments", "the program does not read sockets";
        SumsOfWeights: "sums of weights", "not 1; the weights are normalised";
        SurplusObjects: "{}", SURPLUS;
        Surfaces: "surfaces", "their geometry is missing or cannot be unpacked";
        Tangents: "tangents", NOT_STORED;
        TexCoordCount: "texture coordinates", NO_VERTEX;
        TexCoordSets: "sets of texture coordinates", "at most {} are supported";
        TooManyFrames: "frames", "a scene has at most 65,536";
        TooManyMorphs: "morph targets", TOO_MANY;
        Unreadable: "the file", "{}";
        UnusedVertices: "vertices", "no triangle uses them";
        UnwrittenObject: "", NO_FILE;
        UnwrittenSkeleton: "the skeleton", NO_FILE;
        VertexData: "{}", "an element has an unknown type, or there is too little data for the vertices";
        VertexElements: "{}", "glTF does not support them, or the mesh already has them";
    }
    Motion {
        AnimationNames: "animations", "they have a name without keys, or keys without a name";
        AssumedRate: "rates of clips", "the file does not specify the rate; assumed {} per second", ReadRate;
        BindPose: "the bind pose", "it is in the file of the skeleton; the first frame takes its place";
        Channels: "channels of animations", "their target does not exist, is not a node, or has another channel";
        CompressedAnimation: "compressed animation sets", "the compression is not documented";
        CurvedTranslation: "", "the format interpolates translations by a curve between frames, at {} per second";
        Duration: "", "it has no duration; the file lasts {} s";
        EarlyKeys: "keys", "before the start of the clip";
        EmptyClips: "clips", "they animate nothing";
        EmptyMorphTracks: "morph tracks", "they have no keys";
        FirstFrames: "first frames of clips", "the file ends before them; the frames after those of the previous clip are used";
        IncompleteFrames: "the animation", "its matrices do not form complete frames";
        InvalidKeys: "lists of keys", INVALID;
        InvalidRates: "rates of clips", "they are not positive numbers", ReadRate;
        KeyOrder: "times of keys", "not increasing; the keys are sorted, and the last one at each time is used";
        KeysWithoutValues: "keys", "they have too few values";
        LinearMorphs: "morph tracks", "the interpolation between their keys is linear now";
        LongTrackName: "", "its name is too long";
        ManyCurves: "", "glTF describes each curve in text, and most curves of the animations have few keys";
        ManyWeights: "weights of morph targets", TOO_MANY;
        MissingKeys: "clips", "the file does not have their keys";
        MissingTarget: "", "the written meshes have no such morph target";
        MorphCurvesNotRead: "morph tracks", "the program does not read curves";
        MorphTracks: "morph tracks", "their target does not exist, is not certain, or has another track";
        NegativeTimes: "negative times", "glTF times start at 0; all times are shifted";
        NonFiniteKeys: "keys", "their values are not finite; rotations are replaced by the identity";
        OtherClips: "", "the file holds a single clip";
        RateNotStored: "", "the format does not store its rate of {} frames per second; readers assume 30";
        RepeatedClips: "flags of clips that repeat", NOT_READ;
        RepeatedKeys: "lists of keys", "their frame already has keys of this type";
        RepeatedTimes: "keys", "same time as the previous key";
        Resampled: "", "resampled to {}";
        RoundedEnd: "", "it ends at the next frame, of {} per second";
        RoundedTimes: "times of keys", "rounded to 1/{} of a second";
        RoundedWeights: "weights of vertices", "they are stored as parts of {}";
        ScaleAnimated: "scales of bones", "they are animated; the format does not store scale";
        ScaleKeys: "scale keys", "their number fits neither all keys nor those of some clips";
        SharedKeys: "clips", "their keys are shared too often";
        ShearedKeys: "sheared keys", SHEAR;
        StillClip: "", "it animates no bone";
        SurplusKeys: "lists of keys", SURPLUS;
        TooLargePoses: "poses", "too large for floats of 32 bits; the bind pose is written";
        Tracks: "tracks", "their bone does not exist, or has another track";
        TracksOfMesh: "tracks", "the configuration takes them from the mesh, which is missing; add the mesh";
        UnknownKeys: "lists of keys", "their type is unknown";
        UnpairedBones: "moving bones", "no bone of the skeleton matches them", PairBones;
        UnwrittenClip: "", NO_FILE;
        UnwrittenMorphTracks: "morph tracks", NO_FILE;
    }
    Material {
        AbsolutePath: "", "the path is absolute; only the name of the file is written";
        BackFaces: "", "the format has no visible back faces of transparent materials";
        Blending: "additive and modulated materials", "blended; how is preserved in their extras, which programs ignore";
        ClampedColors: "colours of materials", "outside of 0 to 1; clamped";
        ClampedVertexColors: "vertex colours", "outside of 0 to 1; clamped";
        DrawingFlags: "drawing flags of materials", "glTF's materials are not flat, not environment mapped and smooth as their normals are";
        ImageExtensions: "textures", "their images need an extension that is not supported: {}";
        ImageFormats: "textures", "their images are not PNG, JPEG, BMP or DDS";
        InvalidMaterials: "materials", INVALID;
        LightColors: "ambient and specular colours and shininess", "preserved in the extras of materials, which programs ignore";
        Lightmaps: "lightmaps of surfaces", NOT_READ;
        MaterialExtension: "extension {}", "it is not supported";
        MaterialFields: "", "the format does not store: {}";
        MaterialOfSameName: "", "materials of one name are one material in the file";
        MaterialReferences: "references to materials", "the materials do not exist";
        NormalMapGreen: "the direction of green in the normal map", "no file states it; up is assumed";
        Opacities: "opacities of materials", "not from 0 to 1; the nearest one is written";
        OtherTextures: "textures", "they have other texture coordinates than the base colour";
        SphereMap: "", "the material has a colour texture, which the format has in its place";
        SurfaceFactors: "metalness and roughness of materials", "a scene has none; surfaces are rough and not metal";
        TextureCutoffs: "limits of alpha masks", "a scene has none; one half is used";
        TextureFactors: "texture factors", "a scene has none; 1 is used";
        TexturePaths: "textures", "only their paths are preserved, in the extras of materials";
        TextureSampling: "wrapping and filtering of textures", "a scene has none; textures repeat";
        TextureRoles: "texture roles", "the format does not state them";
        TextureTypes: "texture types", "a scene does not know them";
        TexturesWithoutColor: "textures", "the format does not state their roles, and readers use the first one as the colour";
        UnlitTextures: "textures of emitted light", "the material emits no light";
        UnsetOpacities: "opacities of materials", "all in the file are 0 and are treated as 1";
        UnwrittenMaterial: "", NO_FILE;
        VertexColorCount: "vertex colours", NO_VERTEX;
        VertexColors: "vertex colours", NOT_STORED;
        VertexOpacities: "opacities of vertices", NOT_STORED;
    }
    Names {
        ClipName: "", "the format does not store the name of the clip";
        ClipNamedAsFile: "", "its name is that of the file, {}";
        MaterialNamedAsFile: "", "its name is that of the file, {}";
        MeshNames: "names", NOT_STORED;
        ObjectNames: "names of objects", "they are not words; blanks become underscores";
        Renamed: "", "renamed to {}";
        TrimmedNames: "blanks around names of clips", "ranges of frames are stored without them";
    }
    Metadata {
        AddedRoot: "roots", "a bone is added above them: the format has one root that does not move";
        AmbientLight: "ambient light", NOT_READ;
        BoneLines: "lines about bones", "neither mesh nor animation has a bone of their name";
        BlendProfiles: "blend profiles", NOT_STORED;
        Cameras: "cameras", NOT_READ;
        Chunks: "chunks {}", UNKNOWN;
        Comments: "comments", NOT_READ;
        DefaultWeights: "default weights of morph targets", "they are applied to the mesh, and weights of clips are relative to them";
        Extension: "extension {}", "it is not supported";
        ExtraWords: "extra words of vertices", "their meaning is known only to their writer";
        FaceOrder: "orders of faces", "the first ones oppose their normals; another one is first";
        HiddenGroups: "groups that are hidden", "a scene shows all";
        JointValues: "values of joints", "their number is not that of the joints; missing ones are those of joints without settings";
        LevelsOfDetail: "steps of less detail", "a scene has all vertices";
        Lights: "lights", NOT_READ;
        Masks: "blend masks", NOT_STORED;
        Nodes: "nodes", "not in the default scene";
        Objects: "objects {}", UNKNOWN;
        RetargetModes: "modes of retargeting", "unknown; the animated translation is used";
        Retargeting: "settings of retargeting", NOT_STORED;
        RootMotion: "flags of root motion", NOT_STORED;
        SkeletonPoses: "poses of bones", "those of another file of the set replace them";
        SmoothingGroups: "smoothing groups", "all edges are smooth";
        Spelling: "spelling", "white space, comments and number notation are not preserved";
        Springs: "springs", NOT_READ;
        TrackLines: "lines about removed tracks", "they name no track of an animation beside the file";
        UnusedNodes: "nodes", "they hold no mesh, joint or moving node", KeepNodes;
        UpAxis: "up axis", "the bones stand along y, so y is assumed; files of Unreal Engine have z", ReadUp;
    }
}

impl Lost {
    /// Returns the kind.
    #[must_use]
    pub const fn kind(self) -> LossKind {
        self.row().kind
    }

    /// Returns the name in reports: `unused-vertices`.
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    /// Returns a loss of an object.
    pub(crate) fn of(self, kind: &'static str, name: &str) -> Loss {
        Loss::from(self).of(kind, name)
    }

    /// Returns a loss with names or numbers that belong to the text.
    pub(crate) fn with(self, detail: impl std::fmt::Display) -> Loss {
        Loss::from(self).with(detail)
    }
}
