namespace CoAP.NET.Guarding;

/// <summary>
/// What went between us and the peer of a session at the address that it moved to, in bytes of datagrams. Guarded by
/// <see cref="AddressGuard"/>, but for <see cref="At"/>.
/// </summary>
/// <param name="at">When it moved.</param>
internal sealed class MovedAddress(long at)
{
    /// <summary>When it moved, in units of 100 ns; no other move of the peer has the same.</summary>
    public long At => at;

    /// <summary>What came from there.</summary>
    public long Received { get; set; }

    /// <summary>What was sent there.</summary>
    public long Sent { get; set; }
}
