// Jolt's tests of one shape against one mesh, for the benchmark. No physics system stands in
// between, so this is the fastest way through Jolt.

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Physics/Collision/CollideShape.h>
#include <Jolt/Physics/Collision/CollisionCollectorImpl.h>
#include <Jolt/Physics/Collision/CollisionDispatch.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/ShapeCast.h>
#include <Jolt/RegisterTypes.h>

#include <limits>

using namespace JPH;

namespace {

const Shape *leak(const ShapeSettings &settings) {
    ShapeSettings::ShapeResult result = settings.Create();
    if (result.HasError()) {
        return nullptr;
    }
    result.Get()->AddRef();
    return result.Get().GetPtr();
}

void start() {
    static bool started = false;
    if (!started) {
        RegisterDefaultAllocator();
        Factory::sInstance = new Factory();
        RegisterTypes();
        started = true;
    }
}

} // namespace

// Shapes live as long as the process. Null if Jolt refuses the triangles.
extern "C" const Shape *jolt_mesh(const float *vertices, size_t triangles) {
    start();
    TriangleList list;
    list.reserve(triangles);
    for (size_t i = 0; i < triangles; ++i, vertices += 9) {
        const float *v = vertices;
        list.emplace_back(Float3(v[0], v[1], v[2]), Float3(v[3], v[4], v[5]), Float3(v[6], v[7], v[8]));
    }
    return leak(MeshShapeSettings(list));
}

extern "C" const Shape *jolt_sphere(float radius) {
    start();
    return leak(SphereShapeSettings(radius));
}

extern "C" const Shape *jolt_capsule(float half_height, float radius) {
    start();
    return leak(CapsuleShapeSettings(half_height, radius));
}

extern "C" const Shape *jolt_box(float half_size) {
    start();
    // No rounded edges.
    return leak(BoxShapeSettings(Vec3::sReplicate(half_size), 0.0f));
}

extern "C" bool jolt_overlaps(const Shape *mesh, const Shape *shape, const float *at) {
    CollideShapeSettings settings;
    settings.mBackFaceMode = EBackFaceMode::CollideWithBackFaces;
    settings.mActiveEdgeMode = EActiveEdgeMode::CollideWithAll;
    AnyHitCollisionCollector<CollideShapeCollector> collector;
    CollisionDispatch::sCollideShapeVsShape(
        shape, mesh, Vec3::sReplicate(1.0f), Vec3::sReplicate(1.0f),
        Mat44::sTranslation(Vec3(at[0], at[1], at[2])), Mat44::sIdentity(), SubShapeIDCreator(),
        SubShapeIDCreator(), settings, collector);
    return collector.HadHit();
}

// The fraction of the motion, or infinity.
extern "C" float jolt_cast(const Shape *mesh, const Shape *shape, const float *at, const float *turn,
                           const float *motion) {
    ShapeCastSettings settings;
    settings.mBackFaceModeTriangles = EBackFaceMode::CollideWithBackFaces;
    settings.mActiveEdgeMode = EActiveEdgeMode::CollideWithAll;
    ClosestHitCollisionCollector<CastShapeCollector> collector;
    Mat44 start = Mat44::sRotationTranslation(Quat(turn[0], turn[1], turn[2], turn[3]).Normalized(),
                                              Vec3(at[0], at[1], at[2]));
    ShapeCast cast(shape, Vec3::sReplicate(1.0f), start, Vec3(motion[0], motion[1], motion[2]));
    CollisionDispatch::sCastShapeVsShapeLocalSpace(cast, settings, mesh, Vec3::sReplicate(1.0f),
                                                   ShapeFilter(), Mat44::sIdentity(), SubShapeIDCreator(),
                                                   SubShapeIDCreator(), collector);
    return collector.HadHit() ? collector.mHit.mFraction : std::numeric_limits<float>::infinity();
}
