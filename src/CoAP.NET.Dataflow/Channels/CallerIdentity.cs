namespace CoAP.NET.Channels;

/// <summary>Distinguishes a peer from others at the same address.</summary>
internal static class CallerIdentity
{
    /// <summary>
    /// Returns who a peer is that connected to this end, that came without a connection, or whose messages are protected; null for another
    /// peer that this end connected to.
    /// </summary>
    /// <remarks>
    /// A connection without such an identity is told apart by its number: peers of a Unix socket have no address. The number is valid in
    /// its endpoint only.
    /// </remarks>
    public static object? Of(CoapChannel channel) =>
        channel is { Connection.IsInitiator: true, Carried: null } ? null
        : channel.PeerId ?? (channel.IsConnection ? channel.Number : (object?)channel.Identity);
}
