using System.Formats.Cbor;

namespace CoAP.NET.Content.Problems;

/// <summary>The registered keys of concise problem details that have a meaning here (RFC 9290 sections 2 and 3.1.1).</summary>
internal static class ProblemKey
{
    public const long Title = -1;
    public const long Detail = -2;
    public const long Instance = -3;
    public const long ResponseCode = -4;
    public const long BaseUri = -5;
    public const long BaseLanguage = -6;
    public const long BaseIsRightToLeft = -7;
    public const long UnprocessedOption = -8;

    /// <summary>The entry for members that exist only in problem details of HTTP: <c>tunnel-7807</c> (RFC 9290 appendix B).</summary>
    public const long Tunnel = 7807;

    /// <summary>In <see cref="Tunnel"/>: the URI of the type.</summary>
    public const long TunnelType = 0;

    /// <summary>In <see cref="Tunnel"/>: the HTTP status.</summary>
    public const long TunnelStatus = 1;

    /// <summary>
    /// The tag of a text with a language: an array of the language tag, the text and perhaps the direction (RFC 9290 appendix A).
    /// </summary>
    public const CborTag LanguageTag = (CborTag)38;
}
