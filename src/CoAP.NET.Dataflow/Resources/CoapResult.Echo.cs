namespace CoAP.NET;

// Answers with an Echo.
public partial class CoapResult
{
    /// <summary>Whether an Echo value is put in when it is sent, made for the peer and the moment (RFC 9175 section 2.3).</summary>
    internal bool AsksForEcho { get; init; }

    /// <summary>Whether the answer brings an Echo value for the next request.</summary>
    internal bool BringsEcho { get; private set; }

    /// <summary>
    /// Puts a new Echo value into the response, which the client returns with its next request to this server (RFC 9175 section 2.3). So
    /// that request is known to be younger than this response (<see cref="CoapRequest.EchoAge"/>) and its client to receive at its address,
    /// without <see cref="CoapResults.FreshnessRequired"/> and a round trip more. Clients that know no Echo take no notice. It is left out
    /// where the response is Confirmable, as a separate one is, and where it would be larger than what an unverified address may get.
    /// </summary>
    /// <returns>This result.</returns>
    public CoapResult WithEcho()
    {
        BringsEcho = true;
        return this;
    }
}
