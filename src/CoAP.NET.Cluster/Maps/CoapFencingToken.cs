using System.Globalization;

namespace CoAP.NET.Cluster.Maps;

/// <summary>Counts how often a slot has changed its owner.</summary>
/// <remarks>
/// Each write names its fence, and the store accepts it only if that is the newest fence of the slot. A suspended node that resumes after
/// another node has taken its slots therefore cannot change anything. No clock is involved.
/// </remarks>
/// <param name="Value">The count. 0, the default, is the fence of a slot that never had an owner; no write is accepted under it.</param>
internal readonly record struct CoapFencingToken(long Value)
{
    /// <summary>Whether the slot ever had an owner, so that a write can be accepted under this fence.</summary>
    public bool IsSet => Value > 0;

    /// <summary>The fence of the next owner.</summary>
    /// <returns>The fence.</returns>
    public CoapFencingToken Next() => new(checked(Value + 1));

    /// <summary>The count in decimal.</summary>
    public override string ToString() => Value.ToString(CultureInfo.InvariantCulture);
}
