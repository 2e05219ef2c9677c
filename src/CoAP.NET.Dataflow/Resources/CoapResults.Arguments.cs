namespace CoAP.NET;

// Answers to requests that a handler cannot be called for.
public static partial class CoapResults
{
    /// <summary>
    /// Refuses a request that lacks something its handler needs, or has it in a form that cannot be read: 4.00 Bad Request, or another
    /// error. Counted as <see cref="CoapCounter.ArgumentsRefused"/> at the endpoint that received the request, and logged as Debug.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="diagnostic">A text for people that names what is wrong (RFC 7252 section 5.5.2). It goes to the peer and into the log,
    /// so it repeats nothing that the peer sent.</param>
    /// <param name="code">The code, of class 4 or 5; default 4.00.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The code is of no error.</exception>
    public static CoapResult Refuse(CoapRequest request, string diagnostic, CoapCode? code = null)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(diagnostic);
        if (request.Channel is { } channel)
        {
            CoapEnvironment environment = channel.Shard.Environment;
            environment.Counters.Add(CoapCounter.ArgumentsRefused);
            Log.ArgumentRefused(environment.Logger, diagnostic, channel);
        }

        return Status(code ?? CoapCode.BadRequest, diagnostic);
    }
}
