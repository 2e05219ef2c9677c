namespace CoAP.NET.Requests;

/// <summary>How a request gets to its peer where that takes a connection (RFC 8323). One for each request of a user; shared by all
/// messages that it needs.</summary>
internal abstract class RequestRoute
{
    /// <summary>How many messages of the request were given to the connection that it uses now.</summary>
    public int MessagesSent { get; set; }
}
