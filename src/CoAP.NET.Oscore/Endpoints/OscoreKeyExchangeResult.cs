namespace CoAP.NET.Oscore;

/// <summary>What came of the message of a key exchange in a protected request; see <see cref="OscoreKeyExchangeServer"/>.</summary>
public readonly struct OscoreKeyExchangeResult
{
    private OscoreKeyExchangeResult(CoapMessage message, bool isFinished)
    {
        Message = message;
        IsFinished = isFinished;
    }

    /// <summary>Whether the key exchange succeeded.</summary>
    public bool IsFinished { get; }

    /// <summary>The request that is left, or the answer of one that failed.</summary>
    public CoapMessage Message { get; }

    /// <summary>The key exchange succeeded, and its security context was added.</summary>
    /// <param name="request">The request as OSCORE protected it, with type, Message ID and token.</param>
    /// <returns>The result.</returns>
    public static OscoreKeyExchangeResult Finished(CoapMessage request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return new OscoreKeyExchangeResult(request, isFinished: true);
    }

    /// <summary>The key exchange failed: the request is answered without protection.</summary>
    /// <param name="answer">The response; its token is filled in.</param>
    /// <returns>The result.</returns>
    public static OscoreKeyExchangeResult Refused(CoapMessage answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new OscoreKeyExchangeResult(answer, isFinished: false);
    }
}
