namespace CoAP.NET.Oscore;

/// <summary>
/// A protected request was answered without protection, as by a server that does not know the security context, or by a proxy. Nobody can
/// tell who sent the answer, so it is no response (RFC 8613 sections 7.4 and 8.4, appendix D.5.3).
/// </summary>
public sealed class CoapOscoreException : CoapException
{
    internal CoapOscoreException(CoapCode code, string? diagnostic, string text)
        : base(text)
    {
        UnprotectedCode = code;
        UnprotectedDiagnostic = diagnostic;
    }

    /// <summary>The code of the answer, which anybody can have sent.</summary>
    public CoapCode UnprotectedCode { get; }

    /// <summary>The diagnostic payload of the answer, which anybody can have sent; null for none.</summary>
    public string? UnprotectedDiagnostic { get; }
}
