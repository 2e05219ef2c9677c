namespace CoAP.NET.Peers;

/// <summary>By what a peer is told from others that come from its address.</summary>
internal static class CallerIdentity
{
    /// <summary>
    /// The identity of a peer that connected to this end, or came without a connection; null of one that this end chose to connect to.
    /// </summary>
    /// <param name="channel">The peer.</param>
    public static object? Of(CoapChannel channel) => channel.Connection is { IsInitiator: true } ? null : channel.Identity;
}
