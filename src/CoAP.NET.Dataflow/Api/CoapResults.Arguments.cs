namespace CoAP.NET;

// Responses to requests for which no handler can be called.
public static partial class CoapResults
{
    /// <summary>Refuses a request with a missing or malformed argument: 4.00 Bad Request, or another error.</summary>
    /// <remarks>
    /// Counted as <see cref="CoapCounter.ArgumentsRefused"/> at the endpoint that received the request, and logged at level Debug.
    /// </remarks>
    /// <param name="request">The request.</param>
    /// <param name="diagnostic">A human-readable text that names the error (RFC 7252 section 5.5.2). It goes to the peer and into the log,
    /// so it must not repeat data of the peer.</param>
    /// <param name="code">The code, in class 4 or 5; default 4.00.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The code is not an error code.</exception>
    public static CoapResult Refuse(CoapRequest request, string diagnostic, CoapCode? code = null)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(diagnostic);
        if (request.Channel is { } channel)
        {
            CoapEnvironment environment = channel.Shard.Environment;
            environment.Counters.Add(CoapCounter.ArgumentsRefused);
            ResultLog.ArgumentRefused(environment.Logger, diagnostic, channel);
        }

        return Status(code ?? CoapCode.BadRequest, diagnostic);
    }
}
