namespace CoAP.NET.Channels;

/// <summary>Distinguishes a peer from others at the same address.</summary>
internal static class CallerIdentity
{
    /// <summary>
    /// Returns who a peer is that connected to this end, or came without a connection; its identity object if that distinguishes nobody,
    /// and null for a peer that this end connected to.
    /// </summary>
    public static object? Of(CoapChannel channel) =>
        channel.Connection is { IsInitiator: true } ? null : channel.PeerId ?? channel.Identity;
}
