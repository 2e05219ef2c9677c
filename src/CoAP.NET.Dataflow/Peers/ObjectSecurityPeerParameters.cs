namespace CoAP.NET.Peers;

/// <summary>Derives the parameters of a protected peer from its carrying channel, less the overhead of the protection.</summary>
internal static class ObjectSecurityPeerParameters
{
    private const int LeastMessageSize = CoapTransmissionParameters.MinMessageSize;

    public static CoapTransmissionParameters Of(CoapChannel carrier, CoapObjectSecurityContext context) => carrier.Parameters with
    {
        MaxMessageSize = SizeOf(carrier.Parameters.MaxMessageSize, context),
    };

    /// <summary>Returns the maximum size of a plain message, where a protected one has a size.</summary>
    public static int SizeOf(int size, CoapObjectSecurityContext context) =>
        Math.Clamp(size - context.Overhead, LeastMessageSize, Math.Max(LeastMessageSize, context.MaxMessageSize));
}
