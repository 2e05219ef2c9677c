namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>
/// A range of registrations whose locations have a common prefix: the order of all is that of their keys, which are in their locations.
/// </summary>
/// <param name="First">The first order.</param>
/// <param name="Last">The last order; before the first one for an empty range.</param>
internal readonly record struct LocationPrefixRange(ulong First, ulong Last)
{
    public static LocationPrefixRange All { get; } = new(0, ulong.MaxValue);

    /// <summary>No location.</summary>
    public static LocationPrefixRange None { get; } = new(1, 0);

    /// <summary>Whether the range is empty.</summary>
    public bool IsEmpty => Last < First;

    /// <summary>Returns the intersection of two ranges.</summary>
    public LocationPrefixRange And(LocationPrefixRange other) => new(Math.Max(First, other.First), Math.Min(Last, other.Last));
}
