using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Counts and logs failed TLS handshakes with clients, and exceptions of the application's callbacks in them. Only this end learns the
/// reasons. Thread-safe.
/// </summary>
internal sealed class TlsHandshakeDiagnostics(ICoapTransportContext context)
{
    // Enough to see why some devices fail; a stranger with a certificate of its own must not fill the log.
    private const int RefusalsPerMinute = 20;

    private readonly RateLimitedLog _callbacks = new(context.TimeProvider);
    private readonly RateLimitedLog _refusals = new(context.TimeProvider, RefusalsPerMinute);

    /// <summary>Handles a failed handshake.</summary>
    /// <param name="remote">The client.</param>
    /// <param name="check">The check of its certificate.</param>
    /// <param name="exception">The exception of the platform or of a callback.</param>
    /// <param name="isLate">Whether it took too long.</param>
    public void Failed(CoapAddress remote, TlsClientCertificateCheck check, Exception exception, bool isLate)
    {
        context.Counters.Add(CoapCounter.HandshakesFailed);
        string words = TlsFailureMessage.Words(exception);
        if (check.Thrown is { } thrown)
        {
            context.Counters.Add(CoapCounter.HandshakeCallbackFailures);
            if (_callbacks.IsDue(out long leftOut))
            {
                TcpLog.TlsCallbackFailed(context.Logger, thrown, check.Callback!, remote, leftOut);
            }

            words = $"{check.Callback} threw {thrown.GetType().Name}: {CoapUntrustedText.LineOf(thrown.Message)}";
        }
        else if (isLate)
        {
            context.Counters.Add(CoapCounter.HandshakesTimedOut);
            words = "it took too long (HandshakeTimeout)";
        }
        else if (check.Refusal is { } refusal)
        {
            context.Counters.Add(check.Subject is null ? CoapCounter.CertificatesMissing : CoapCounter.CertificatesRefused);
            words = refusal;
        }
        else
        {
            context.Counters.Add(TlsFailureMessage.HasNothingInCommon(exception, words)
                ? CoapCounter.HandshakesWithNothingInCommon
                : CoapCounter.HandshakesFailedOtherwise);
        }

        if (check.Subject is { } subject)
        {
            if (_refusals.IsDue(out long refusalsLeftOut))
            {
                TcpLog.ClientRefused(context.Logger, remote, subject, words, refusalsLeftOut);
            }
        }
        else
        {
            TcpLog.HandshakeFailed(context.Logger, remote, words);
        }
    }
}
