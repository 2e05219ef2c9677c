using System.Globalization;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace CoAP.NET.Transports.Tcp;

/// <summary>Describes failed handshakes, with the failed check and the remedy.</summary>
internal static class TlsFailureMessage
{
    private static readonly string[] s_nothingInCommon =
    [
        "no shared cipher", "unsupported protocol", "version too low", "wrong version number", "no application protocol",
        "no suitable signature algorithm", "no shared signature algorithms", "no suitable key share", "algorithm mismatch",
    ];

    /// <summary>Describes a failed handshake of a client.</summary>
    /// <param name="remote">The server.</param>
    /// <param name="host">Its name, or its address.</param>
    /// <param name="check">The errors of its certificate.</param>
    /// <param name="exception">The exception of the platform.</param>
    /// <param name="timeLimit">The exceeded time limit; null for none.</param>
    public static CoapConnectionException OfClient(CoapAddress remote, string host, TlsServerCertificateCheck check, Exception exception,
        TimeSpan? timeLimit)
    {
        string reason = timeLimit is { } limit
            ? $"it took more than {limit.TotalSeconds:0.###} s (HandshakeTimeout). The server may not speak TLS on this port."
            : check.IsRefused ? OfCertificate(host, check)
            : OfAlert(Words(exception));
        return Make(remote, reason, exception);
    }

    /// <summary>Describes a handshake that succeeded without agreement on <c>coap</c> (RFC 8323 section 8.2).</summary>
    public static CoapConnectionException NoApplicationProtocol(CoapAddress remote, SslApplicationProtocol chosen) => Make(
        remote,
        chosen.Protocol.IsEmpty
            ? "the peer did not agree on the application protocol coap (ALPN), which every port but 5684 needs (RFC 8323 section 8.2). "
                + "Does a CoAP server listen there?"
            : $"the peer chose the application protocol {CoapUntrustedText.LineOf(chosen.ToString())} (ALPN) instead of "
                + "coap (RFC 8323 section 8.2). Offer coap only.",
        null);

    /// <summary>Describes a server that ended the connection before it sent anything.</summary>
    public static CoapConnectionException EndedByServer(CoapAddress remote, Exception? exception) => Make(
        remote,
        $"the server ended the connection before it sent anything: {(exception is null ? string.Empty : Words(exception) + " ")}It may ask "
            + "for a client certificate that it trusts "
            + "(CoapTlsOptions.Client.ClientCertificates), or accept no more connections.",
        exception);

    /// <summary>
    /// Returns the messages of an exception and its inner ones. Quotes of the peer, such as the subject of its certificate or the requested
    /// name, are made safe to show.
    /// </summary>
    public static string Words(Exception exception)
    {
        StringBuilder words = new();
        for (Exception? inner = exception; inner is not null; inner = inner.InnerException)
        {
            words.Append(words.Length == 0 ? string.Empty : char.IsLetterOrDigit(words[^1]) ? ": " : " ").Append(inner.Message);
        }

        return CoapUntrustedText.LineOf(words.ToString());
    }

    /// <summary>Whether a handshake failed because both ends have no version, suite or application protocol in common.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="words">Its words: the platform has no other sign of it.</param>
    public static bool HasNothingInCommon(Exception exception, string words) =>
        exception is CoapConnectionException || s_nothingInCommon.Any(text => words.Contains(text, StringComparison.OrdinalIgnoreCase));

    private static string OfCertificate(string host, TlsServerCertificateCheck check)
    {
        if (check.Errors == SslPolicyErrors.None)
        {
            return $"the RemoteCertificateValidationCallback of CoapTlsOptions.Client did not accept the certificate of {check.Subject}.";
        }

        StringBuilder text = new();
        if (check.Errors.HasFlag(SslPolicyErrors.RemoteCertificateNotAvailable))
        {
            text.Append("the server sent no certificate. ");
        }

        if (check.Errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch))
        {
            text.Append(CultureInfo.InvariantCulture,
                $"its certificate, of {check.Subject}, is not for the name '{host}'. Use a name that is in the certificate. ");
        }

        if (check.Errors.HasFlag(SslPolicyErrors.RemoteCertificateChainErrors))
        {
            string advice = (check.Chain & (X509ChainStatusFlags.UntrustedRoot | X509ChainStatusFlags.PartialChain)) != 0
                ? "This machine does not trust its issuer: add the authority to the trusted ones, or name it in "
                    + "CoapTlsOptions.Client.CertificateChainPolicy."
                : (check.Chain & X509ChainStatusFlags.NotTimeValid) != 0
                ? "It has expired or is not valid yet; check the clock of this machine, too." : "Its chain is not valid.";
            text.Append(CultureInfo.InvariantCulture,
                $"its certificate, of {check.Subject}, is not trusted ({check.Chain}): {check.ChainText} {advice}");
        }

        return text.ToString().TrimEnd();
    }

    // The words of the alerts are those of RFC 8446 section 6, as the underlying libraries write them.
    private static string OfAlert(string words)
    {
        string advice = words switch
        {
            _ when Has("no application protocol") || Has("no_application_protocol") =>
                " The server does not speak coap by ALPN (RFC 8323 section 8.2).",
            _ when Has("certificate required") || Has("bad certificate") || Has("unknown ca") =>
                " The server asks for a client certificate that it trusts: see CoapTlsOptions.Client.ClientCertificates.",
            _ when Has("protocol version") || Has("unsupported protocol") =>
                " The two have no version of TLS in common: see EnabledSslProtocols.",
            _ when Has("handshake failure") => " The two have no cipher suite or key in common.",
            _ => string.Empty,
        };
        return words + advice;

        bool Has(string text) => words.Contains(text, StringComparison.OrdinalIgnoreCase);
    }

    private static CoapConnectionException Make(CoapAddress remote, string reason, Exception? exception) =>
        new(CoapError.HandshakeFailed, $"The TLS handshake with {remote} failed: {reason}", exception);
}
