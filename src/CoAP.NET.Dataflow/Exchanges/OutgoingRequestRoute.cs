namespace CoAP.NET.Exchanges;

/// <summary>
/// The route of a request to its peer over a connection (RFC 8323). One for each request of a user; all its messages share it.
/// </summary>
internal abstract class OutgoingRequestRoute
{
    /// <summary>The number of messages of the request that were given to its current connection.</summary>
    public int MessagesSent { get; set; }
}
