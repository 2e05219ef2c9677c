namespace CoAP.NET.Hosting;

/// <summary>Whether a request may be served, and what it is answered if not. The default value refuses.</summary>
public readonly record struct CoapAuthorizationDecision
{
    private readonly CoapResult? _answer;

    private CoapAuthorizationDecision(bool isAllowed, CoapResult? answer)
    {
        IsAllowed = isAllowed;
        _answer = answer;
    }

    /// <summary>The request may be served.</summary>
    public static CoapAuthorizationDecision Allowed => new(true, null);

    /// <summary>Whether the request may be served.</summary>
    public bool IsAllowed { get; }

    /// <summary>What it is answered instead; null when it may be served.</summary>
    public CoapResult? Answer => IsAllowed ? null : _answer ?? CoapResults.Forbidden();

    /// <summary>4.01 Unauthorized: the client may come again when it has shown better who it is (RFC 7252 section 5.9.2.2).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The decision.</returns>
    public static CoapAuthorizationDecision Unauthorized(string? diagnostic = null) => new(false, CoapResults.Unauthorized(diagnostic));

    /// <summary>4.03 Forbidden: it is known who the client is, and it may not (RFC 7252 section 5.9.2.4).</summary>
    /// <param name="diagnostic">A text for people; null for none.</param>
    /// <returns>The decision.</returns>
    public static CoapAuthorizationDecision Forbidden(string? diagnostic = null) => new(false, CoapResults.Forbidden(diagnostic));

    /// <summary>Another answer, such as 4.04 to hide that there is something.</summary>
    /// <param name="answer">The answer.</param>
    /// <returns>The decision.</returns>
    public static CoapAuthorizationDecision Refused(CoapResult answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapAuthorizationDecision(false, answer);
    }
}
