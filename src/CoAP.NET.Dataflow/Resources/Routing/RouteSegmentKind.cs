namespace CoAP.NET.Resources;

/// <summary>What a segment of a route template matches. In the order of precedence.</summary>
internal enum RouteSegmentKind : byte
{
    /// <summary>One segment of exactly these bytes.</summary>
    Literal,

    /// <summary><c>{name}</c>: one segment, whatever it is.</summary>
    Parameter,

    /// <summary><c>{*name}</c>: all segments that are left, also none.</summary>
    Rest,
}
