namespace CoAP.NET.Oscore.Endpoints;

/// <summary>
/// The result of processing the key exchange message in a protected request; see <see cref="OscoreCombinedRequestServer"/>.
/// </summary>
internal readonly struct OscoreKeyExchangeServerResult
{
    private OscoreKeyExchangeServerResult(CoapMessage message, bool isFinished)
    {
        Message = message;
        IsFinished = isFinished;
    }

    /// <summary>Whether the key exchange succeeded.</summary>
    public bool IsFinished { get; }

    /// <summary>The rest of the request, or the answer after a failure.</summary>
    public CoapMessage Message { get; }

    /// <summary>Creates the result of a successful key exchange, whose security context is in place.</summary>
    /// <param name="request">The request as OSCORE protected it, with type, Message ID and token.</param>
    /// <returns>The result.</returns>
    public static OscoreKeyExchangeServerResult Finished(CoapMessage request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return new OscoreKeyExchangeServerResult(request, isFinished: true);
    }

    /// <summary>Creates the result of a failed key exchange: the endpoint sends an unprotected answer.</summary>
    /// <param name="answer">The response; the endpoint sets its token.</param>
    /// <returns>The result.</returns>
    public static OscoreKeyExchangeServerResult Refused(CoapMessage answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new OscoreKeyExchangeServerResult(answer, isFinished: false);
    }
}
