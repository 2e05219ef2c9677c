namespace CoAP.NET.ResourceDirectory;

/// <summary>Where registrations are whose locations begin alike: the order of all is that of their keys, which are in their locations.
/// </summary>
/// <param name="First">The first order.</param>
/// <param name="Last">The last order; before the first one where there are none.</param>
internal readonly record struct LocationRange(ulong First, ulong Last)
{
    /// <summary>All locations.</summary>
    public static LocationRange All { get; } = new(0, ulong.MaxValue);

    /// <summary>No location.</summary>
    public static LocationRange None { get; } = new(1, 0);

    /// <summary>Whether there are none.</summary>
    public bool IsEmpty => Last < First;

    /// <summary>What is in both.</summary>
    /// <param name="other">The other one.</param>
    public LocationRange And(LocationRange other) => new(Math.Max(First, other.First), Math.Min(Last, other.Last));
}
