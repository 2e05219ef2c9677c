using CoAP.NET.Protection;

namespace CoAP.NET.Peers;

/// <summary>Derives the parameters of a protected peer from its carrying channel, less the overhead of the protection.</summary>
internal static class ObjectSecurityPeerParameters
{
    private const int LeastMessageSize = CoapTransmissionParameters.MinMessageSize;

    private static long s_number;

    public static CoapTransmissionParameters Of(CoapChannel carrier, CoapObjectSecurityContext context) => carrier.Parameters with
    {
        MaxMessageSize = SizeOf(carrier.Parameters.MaxMessageSize, context),
    };

    /// <summary>Returns the maximum size of a plain message to a peer on a connection; the peer may change its own limit.</summary>
    public static int PeerMaxMessageSizeOf(ProtectedChannelData carried) => SizeOf(carried.Carrier.PeerMaxMessageSize, carried.Context);

    public static RarePeerState RareStateOf(CoapChannel carrier, CoapObjectSecurityContext context, RarePeerState? extras) => new()
    {
        Connection = extras?.Connection,
        Requests = extras?.Requests,

        // State of one protected peer, such as an Echo value, is invalid for another one behind the same address.
        Number = (1UL << 63) | (ulong)Interlocked.Increment(ref s_number),
        LearnedFacts = new LearnedPeerFacts
        {
            Identity = context.Identity,
        },
    };

    private static int SizeOf(int size, CoapObjectSecurityContext context) =>
        Math.Clamp(size - context.Overhead, LeastMessageSize, Math.Max(LeastMessageSize, context.MaxMessageSize));
}
