/* The algorithm of each pair of shapes; see il_collision.h. */
#include "il_collision.h"

#include "il_vector3.h"

/* touches nearer to each other than this, in parts of the margin, are one */
static const double same = 1e-6;

typedef void (*algorithm)(const il_shape *a, const il_shape *b, const il_pose *pose,
                          il_spots *found);

/* Of convex shapes; one order is enough. */
static algorithm of_solids(int64_t a, int64_t b)
{
    if (b == IL_PLANE || b == IL_GROUND || a < b) {
        return NULL;
    }
    if (a == IL_BOX && b == IL_BOX) {
        return il_box_box;
    }
    return b == IL_SPHERE && a != IL_HULL ? il_solid_sphere : il_convex;
}

static algorithm algorithm_for(int64_t a, int64_t b)
{
    const int on_plane = a == IL_PLANE, on_ground = a == IL_GROUND;

    if (!on_plane && !on_ground) {
        return of_solids(a, b);
    }
    switch (b) {
    case IL_SPHERE:
        return on_plane ? il_plane_sphere : il_ground_sphere;
    case IL_CAPSULE:
        return on_plane ? il_plane_capsule : il_ground_capsule;
    case IL_CYLINDER:
    case IL_TORUS:
        return on_plane ? il_plane_wheel : il_ground_wheel;
    case IL_CONE:
        return on_plane ? il_plane_cone : il_ground_wheel;
    case IL_BOX:
    case IL_HULL:
        return on_plane ? il_plane_corners : il_ground_corners;
    default:
        return NULL;
    }
}

int il_collides(int64_t kind_a, int64_t kind_b)
{
    return algorithm_for(kind_a, kind_b) != NULL;
}

void il_collide(const il_shape *a, const il_shape *b, const il_pose *pose, double margin,
                il_spots *found)
{
    const algorithm find = algorithm_for(a->kind, b->kind);

    found->count = 0;
    found->margin = margin;
    if (find) {
        find(a, b, pose, found);
    }
}

void il_spot_add(il_spots *found, const double *surface, int of_a, const double *normal,
                  double gap, int64_t feature)
{
    il_spot touch = {.gap = gap, .feature = feature};
    int64_t place = found->count, widest = 0;

    if (!(gap <= found->margin)) {
        return;
    }
    il_along3(surface, of_a ? 0.5 * gap : -0.5 * gap, normal, touch.point);
    il_along3(normal, 0.0, normal, touch.normal);
    for (int64_t k = 0; k < found->count; k++) {
        const il_spot *other = found->list + k;
        double apart[3];
        il_sub3(touch.point, other->point, apart);
        if (other->feature == feature && il_dot3(normal, other->normal) > 1.0 - same &&
            il_dot3(apart, apart) < same * same * found->margin * found->margin) {
            return;
        }
        widest = other->gap > found->list[widest].gap ? k : widest;
    }
    if (place == IL_SPOTS_MOST) {
        if (found->list[widest].gap <= gap) {
            return;
        }
        place = widest;
    } else {
        found->count++;
    }
    found->list[place] = touch;
}
