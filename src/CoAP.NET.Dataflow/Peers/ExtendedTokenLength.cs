namespace CoAP.NET.Peers;

/// <summary>The lengths of tokens of more than 8 bytes to a peer (RFC 8974).</summary>
internal static class ExtendedTokenLength
{
    /// <summary>
    /// Returns the token length of requests on a connection, from its parameters and the limit of the peer; 0 for the default length, and
    /// without a connection.
    /// </summary>
    public static int OfConnection(CoapChannel channel) =>
        channel is
        {
            IsReliable: true, Connection.Capabilities.MaxTokenLength: > CoapToken.MaxLength and int longest,
            Parameters.ExtendedTokenLength: { } wanted
        } && OurLongest(channel) > CoapToken.MaxLength
            ? Math.Min(Math.Min(wanted, longest), OurLongest(channel))
            : 0;

    /// <summary>Returns the length that this endpoint takes: the token comes back with the response.</summary>
    public static int OurLongest(CoapChannel channel) => channel.Shard.Environment.Limits.Messages.MaxTokenLength;
}
