using System.Globalization;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Errors;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Explains why a handshake with a server failed, and what to do about it.</summary>
internal static class HandshakeFailureMessage
{
    private const uint ServerHello = 1u << 2;
    private const uint HelloVerifyRequest = 1u << 3;
    private const uint Certificate = 1u << 11;
    private const uint CertificateRequest = 1u << 13;
    private const uint ServerHelloDone = 1u << 14;

    /// <summary>Explains that the server did not finish the handshake in time.</summary>
    /// <param name="handshake">The handshake, or null if it did not begin.</param>
    /// <param name="hasHeard">Whether anything came from the server.</param>
    /// <param name="path">The path to the server.</param>
    /// <param name="limit">The time limit.</param>
    public static (CoapDtlsHandshakeFailure Reason, string Text) OfSilence(ClientHandshake? handshake, bool hasHeard, in DtlsPath path,
        TimeSpan limit)
    {
        string seconds = string.Create(CultureInfo.InvariantCulture, $"{limit.TotalSeconds:0.###} s");
        if (handshake is null || !hasHeard)
        {
            return (CoapDtlsHandshakeFailure.NoAnswer,
                $"No answer from {path.Remote} within {seconds}. Is a DTLS server there, and do firewalls let UDP port {path.Remote.Port} "
                    + "through in both directions?");
        }

        if (handshake.Refusal is { } alert)
        {
            return OfAlert(alert, handshake);
        }

        if (HasSentItsProof(handshake))
        {
            return handshake.PskIdentity is { } identity
                ? (CoapDtlsHandshakeFailure.PreSharedKey,
                    $"{path.Remote} fell silent once it knew the identity '{identity}': the pre-shared key is most likely not the one it "
                        + "has for it, or it does not know the identity.")
                : (CoapDtlsHandshakeFailure.TimedOut,
                    $"{path.Remote} fell silent after the certificates were exchanged and did not finish the handshake within {seconds}. "
                        + "Its log says whether it took this end's certificate.");
        }

        return (CoapDtlsHandshakeFailure.TimedOut, (handshake.Heard & ServerHello) != 0
            ? $"Parts of what {path.Remote} sent are missing after {seconds}: the path loses datagrams, perhaps all of those of its size."
            : (handshake.Heard & HelloVerifyRequest) != 0
                ? $"{path.Remote} asked for a cookie and did not answer when it got it, within {seconds}. It may have too many handshakes "
                    + "under way, or the path loses longer datagrams."
                : $"{path.Remote} sent nothing that belongs to a DTLS 1.2 handshake within {seconds}. Does another service use UDP "
                    + $"port {path.Remote.Port} there?");
    }

    /// <summary>Describes the progress of a pending handshake.</summary>
    /// <param name="handshake">The handshake, or null if it did not begin.</param>
    /// <param name="hasHeard">Whether anything came from the server.</param>
    /// <param name="path">The path to the server.</param>
    /// <param name="elapsed">The time since its start.</param>
    public static CoapConnectProgress ProgressOf(ClientHandshake? handshake, bool hasHeard, in DtlsPath path, TimeSpan elapsed)
    {
        if (handshake is null)
        {
            string text = $"The DTLS handshake with {path.Remote} has not begun: no thread was free for it.";
            return new CoapConnectProgress(CoapConnectPhase.Waiting, text) { Awaited = CoapTimeoutStep.DtlsHandshake };
        }

        CoapConnectPhase stage = !hasHeard ? CoapConnectPhase.NoAnswer
            : HasSentItsProof(handshake) ? CoapConnectPhase.Authenticating
            : CoapConnectPhase.Handshaking;
        return new CoapConnectProgress(
            stage, OfSilence(handshake, hasHeard, path, elapsed).Text)
        { Awaited = CoapTimeoutStep.DtlsHandshake };
    }

    // Whether this end has sent its proof, as far as the server is heard: what is missing is the server's verdict.
    private static bool HasSentItsProof(ClientHandshake handshake)
    {
        bool isWhole = (handshake.Heard & ServerHello) != 0 && (handshake.Heard & ServerHelloDone) != 0;
        return (isWhole && (handshake.PskIdentity is not null || (handshake.Heard & Certificate) != 0)) || handshake.Forgeries > 0;
    }

    /// <summary>Explains that the server refused the handshake.</summary>
    /// <param name="alert">The alert.</param>
    /// <param name="handshake">The handshake.</param>
    public static (CoapDtlsHandshakeFailure Reason, string Text) OfAlert(AlertDescription alert, ClientHandshake handshake)
    {
        bool isAskedInVain = (handshake.Heard & CertificateRequest) != 0
            && handshake.Settings is { Certificate: null, RawPublicKey: null, Signer: null };
        string? pskIdentity = handshake.PskIdentity;
        string said = $"The server refused the handshake with the alert {alert.ToText()}";
        return alert switch
        {
            AlertDescription.BadRecordMac or AlertDescription.DecryptError or AlertDescription.UnknownPskIdentity
                when pskIdentity is not null =>
                (CoapDtlsHandshakeFailure.PreSharedKey,
                    $"{said}: it does not know the identity '{pskIdentity}', or has another key for it."),
            AlertDescription.HandshakeFailure or AlertDescription.CertificateRequired when isAskedInVain =>
                (CoapDtlsHandshakeFailure.NoCredentials,
                    $"{said}: it asked for a certificate or a raw public key, and this end has neither. Call UseCertificate, or set "
                        + "CoapDtlsClientOptions.RawPublicKey."),
            AlertDescription.HandshakeFailure or AlertDescription.ProtocolVersion or AlertDescription.InsufficientSecurity =>
                (CoapDtlsHandshakeFailure.NothingInCommon,
                    $"{said}: both ends have no cipher suite or version in common, or it wants a certificate that this end does not have. "
                        + "Compare the cipher suites and the credentials of both."),
            AlertDescription.UnknownCa or (
                >= AlertDescription.BadCertificate and <= AlertDescription.CertificateUnknown) or AlertDescription.AccessDenied =>
                (CoapDtlsHandshakeFailure.Refused,
                    $"{said}: it does not trust this end's certificate. Does it know the authority that issued it, were intermediates "
                        + "sent, and is it still valid and meant for clients?"),
            AlertDescription.CertificateRequired =>
                (CoapDtlsHandshakeFailure.NoCredentials, $"{said}: it wants a certificate, and this end has none."),
            AlertDescription.UnrecognizedName =>
                (CoapDtlsHandshakeFailure.Refused, $"{said}: it does not answer for the name that was asked for."),
            _ => (CoapDtlsHandshakeFailure.Refused, $"{said}."),
        };
    }

    /// <summary>Explains why this end ended the handshake.</summary>
    /// <param name="handshake">The handshake.</param>
    /// <param name="distrust">Why this end did not trust the certificate, if that was the reason.</param>
    public static (CoapDtlsHandshakeFailure Reason, string Text) Of(ClientHandshake handshake, string? distrust)
    {
        string failure = handshake.Failure?.Why ?? "It ended without a reason.";
        if (distrust is not null)
        {
            return (CoapDtlsHandshakeFailure.NotTrusted, distrust);
        }

        if (handshake.LacksPreSharedKey)
        {
            return (CoapDtlsHandshakeFailure.NoCredentials,
                "The server wants a pre-shared key, but none is set for it. Call UsePsk on the options of the client, or give the client a "
                    + "certificate and the server a cipher suite with certificates.");
        }

        return handshake.Failure switch
        {
            { Alert: { } alert } => OfAlert(alert, handshake),
            { Fault: HandshakeFault.CertificateRefused } =>
                (CoapDtlsHandshakeFailure.NotTrusted, $"The certificate of the server was not accepted: {failure}"),
            { Fault: HandshakeFault.UnknownIdentity } => (CoapDtlsHandshakeFailure.NoCredentials, failure),
            { Fault: HandshakeFault.NothingInCommon } => (CoapDtlsHandshakeFailure.NothingInCommon, failure),
            _ => (CoapDtlsHandshakeFailure.Other, $"The handshake failed: {failure}"),
        };
    }
}
