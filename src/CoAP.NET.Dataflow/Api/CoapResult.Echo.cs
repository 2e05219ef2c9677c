namespace CoAP.NET;

// Answers with an Echo.
public partial class CoapResult
{
    /// <summary>Whether sending adds an Echo challenge, created for the peer and the moment (RFC 9175 section 2.3).</summary>
    internal bool AsksForEcho { get; init; }

    /// <summary>Whether the response carries an Echo value for the next request.</summary>
    internal bool BringsEcho { get; private set; }

    /// <summary>
    /// Adds a new Echo value to the response, which the client returns with its next request to this server (RFC 9175 section 2.3).
    /// </summary>
    /// <remarks>
    /// That request is then known to be younger than this response (<see cref="CoapRequest.EchoAge"/>), and its client to receive at its
    /// address. This saves <see cref="CoapResults.FreshnessRequired"/> and its extra round trip. Clients without support for Echo ignore
    /// it. The server omits it in Confirmable (separate) responses, and if the response would exceed the limit for unverified addresses.
    /// </remarks>
    /// <returns>This result.</returns>
    public CoapResult WithEcho()
    {
        BringsEcho = true;
        return this;
    }
}
