namespace CoAP.NET.Protection;

/// <summary>What a protected peer takes over from the channel that carries its messages, less what the protection takes.</summary>
internal static class ProtectedParameters
{
    private const int LeastMessageSize = 64;

    // The least of a message that is there whatever is sent.
    private static long s_number;

    /// <summary>The transmission parameters.</summary>
    public static CoapTransmissionParameters Of(CoapChannel carrier, CoapSecurityContext context) => carrier.Parameters with
    {
        MaxMessageSize = SizeOf(carrier.Parameters.MaxMessageSize, context),
    };

    /// <summary>How large a plain message to a peer on a connection may be: what the peer says of itself may change.</summary>
    public static int PeerMaxMessageSizeOf(CarriedChannel carried) => SizeOf(carried.Carrier.PeerMaxMessageSize, carried.Context);

    /// <summary>What the channel has beside its address.</summary>
    public static ChannelExtras ExtrasOf(CoapChannel carrier, CoapSecurityContext context, ChannelExtras? extras) => new()
    {
        Connection = extras?.Connection,
        Requests = extras?.Requests,

        // What was made for one protected peer, such as an Echo value, is worth nothing to another one behind the same address.
        Number = (1UL << 63) | (ulong)Interlocked.Increment(ref s_number),
        Hints = new ChannelHints
        {
            Identity = context.Identity,
        },
    };

    private static int SizeOf(int size, CoapSecurityContext context) =>
        Math.Clamp(size - context.Overhead, LeastMessageSize, Math.Max(LeastMessageSize, context.MaxMessageSize));
}
