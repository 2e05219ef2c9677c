namespace CoAP.NET.Oscore;

/// <summary>
/// A protected request got an unprotected answer, as from a server that does not know the security context, or from a proxy.
/// </summary>
/// <remarks>
/// The sender of the answer is not authenticated, so it does not count as a response (RFC 8613 sections 7.4 and 8.4, appendix D.5.3).
/// </remarks>
public sealed class CoapUnprotectedResponseException : CoapException
{
    internal CoapUnprotectedResponseException(CoapCode code, string? diagnostic, string text)
        : base(text)
    {
        UnprotectedCode = code;
        UnprotectedDiagnostic = diagnostic;
    }

    /// <summary>The code of the unauthenticated answer.</summary>
    public CoapCode UnprotectedCode { get; }

    /// <summary>The diagnostic payload of the unauthenticated answer; null for none.</summary>
    public string? UnprotectedDiagnostic { get; }
}
