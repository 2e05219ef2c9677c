namespace CoAP.NET.Resources;

/// <summary>The kinds of segments of a route template, in the order of priority.</summary>
internal enum RouteSegmentKind : byte
{
    /// <summary>One segment with exactly these bytes.</summary>
    Literal,

    /// <summary><c>{name}</c>: any single segment.</summary>
    Parameter,

    /// <summary><c>{*name}</c>: all remaining segments, including none.</summary>
    Rest,
}
