// Prints where libcal3d moves the vertices of a model: for each animation and each of five times, a line with the
// index of the animation and the time, then a line for each corner of a triangle. With `--core` before the files, it
// first prints the corners of the mesh: `core`, place, normal, texture coordinate, and bones with their weights.
#include <cal3d/cal3d.h>

#include <cstdio>
#include <string>
#include <vector>

static bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

static void print_core(CalCoreModel &core, int id) {
  CalCoreMesh *mesh = core.getCoreMesh(id);
  for (int part = 0; part < mesh->getCoreSubmeshCount(); part++) {
    CalCoreSubmesh *own = mesh->getCoreSubmesh(part);
    for (auto &face : own->getVectorFace())
      for (CalIndex corner : face.vertexId) {
        auto &vertex = own->getVectorVertex()[corner];
        auto &maps = own->getVectorVectorTextureCoordinate();
        CalVector place = vertex.position, normal = vertex.normal;
        printf("core %.9g %.9g %.9g %.9g %.9g %.9g", place.x, place.y, place.z, normal.x, normal.y, normal.z);
        if (maps.empty()) printf(" 0 0");
        else printf(" %.9g %.9g", maps[0][corner].u, maps[0][corner].v);
        for (auto &influence : vertex.vectorInfluence)
          printf(" %s %.9g", core.getCoreSkeleton()->getCoreBone(influence.boneId)->getName().c_str(), influence.weight);
        printf("\n");
      }
  }
}

int main(int count, char **files) {
  CalCoreModel core("model");
  std::vector<int> meshes, animations;
  bool prints_core = count > 1 && std::string(files[1]) == "--core";
  for (int at = 1 + prints_core; at < count; at++) {
    std::string file = files[at];
    int id = 0;
    if (ends_with(file, "sf")) id = core.loadCoreSkeleton(file) ? 0 : -1;
    else if (ends_with(file, "mf")) meshes.push_back(id = core.loadCoreMesh(file));
    else if (ends_with(file, "af")) animations.push_back(id = core.loadCoreAnimation(file));
    else if (ends_with(file, "rf")) id = core.loadCoreMaterial(file);
    if (id < 0) {
      fprintf(stderr, "%s: %s\n", file.c_str(), CalError::getLastErrorText().c_str());
      return 1;
    }
  }
  if (prints_core)
    for (int mesh : meshes) print_core(core, mesh);
  for (size_t clip = 0; clip < animations.size(); clip++) {
    for (int step = 0; step < 5; step++) {
      CalModel model(&core);
      for (int mesh : meshes) model.attachMesh(mesh);
      float time = core.getCoreAnimation(animations[clip])->getDuration() * (0.1f + 0.2f * step);
      CalMixer *mixer = static_cast<CalMixer *>(model.getAbstractMixer());
      mixer->blendCycle(animations[clip], 1, 0);
      model.update(0);
      mixer->setAnimationTime(time);
      model.update(0);
      printf("%zu %.9g\n", clip, time);
      for (int mesh : meshes) {
        CalMesh *own = model.getMesh(mesh);
        for (int part = 0; part < own->getSubmeshCount(); part++) {
          CalSubmesh *submesh = own->getSubmesh(part);
          std::vector<float> vertices(3 * submesh->getVertexCount());
          std::vector<CalIndex> corners(3 * submesh->getFaceCount());
          model.getPhysique()->calculateVertices(submesh, vertices.data());
          submesh->getFaces(corners.data());
          for (CalIndex corner : corners)
            printf("%.9g %.9g %.9g\n", vertices[3 * corner], vertices[3 * corner + 1], vertices[3 * corner + 2]);
        }
      }
    }
  }
}
