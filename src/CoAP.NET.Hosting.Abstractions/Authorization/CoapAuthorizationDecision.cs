namespace CoAP.NET.Hosting;

/// <summary>The decision on a request, with the answer to a refused one. The default value refuses.</summary>
public readonly struct CoapAuthorizationDecision
{
    private readonly CoapResult? _answer;

    private CoapAuthorizationDecision(bool isAllowed, CoapResult? answer)
    {
        IsAllowed = isAllowed;
        _answer = answer;
    }

    /// <summary>A decision that allows the request.</summary>
    public static CoapAuthorizationDecision Allowed => new(true, null);

    /// <summary>Whether the request is allowed.</summary>
    public bool IsAllowed { get; }

    /// <summary>The answer to a refused request; null for an allowed one.</summary>
    public CoapResult? Answer => IsAllowed ? null : _answer ?? CoapResults.Forbidden();

    /// <summary>
    /// Creates a refusal with 4.01 Unauthorized: the client may retry with better credentials (RFC 7252 section 5.9.2.2).
    /// </summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The decision.</returns>
    public static CoapAuthorizationDecision Unauthorized(string? diagnostic = null) => new(false, CoapResults.Unauthorized(diagnostic));

    /// <summary>Creates a refusal with 4.03 Forbidden: the client is known and has no permission (RFC 7252 section 5.9.2.4).</summary>
    /// <param name="diagnostic">A human-readable text; null for none.</param>
    /// <returns>The decision.</returns>
    public static CoapAuthorizationDecision Forbidden(string? diagnostic = null) => new(false, CoapResults.Forbidden(diagnostic));

    /// <summary>Creates a refusal with another answer, such as 4.04 to hide that the resource exists.</summary>
    /// <param name="answer">The answer.</param>
    /// <returns>The decision.</returns>
    public static CoapAuthorizationDecision Refused(CoapResult answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new CoapAuthorizationDecision(false, answer);
    }
}
