using System.Globalization;

namespace CoAP.NET.Cluster;

/// <summary>
/// How often a slot has changed hands. Each write says under which fence it was made, and the store takes it only while that is the one of
/// the slot: a node that slept, and wakes up when another one has its slots, can change nothing. No clock takes part.
/// </summary>
/// <param name="Value">The count. 0, the default, is that of a slot that nobody ever had; no write holds under it.</param>
public readonly record struct CoapFence(long Value)
{
    /// <summary>Whether a write can hold under it at all, as somebody had the slot.</summary>
    public bool IsSet => Value > 0;

    /// <summary>The fence of the next owner.</summary>
    /// <returns>The fence.</returns>
    public CoapFence Next() => new(checked(Value + 1));

    /// <summary>The count in decimal.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Value.ToString(CultureInfo.InvariantCulture);
}
