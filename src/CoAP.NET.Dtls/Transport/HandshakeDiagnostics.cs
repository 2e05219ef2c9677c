using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// Counts and logs failed handshakes with clients, and exceptions of the application's code in them. Only this end learns the reasons; the
/// client learns nothing more. Thread-safe.
/// </summary>
/// <param name="context">The context of the transport, which has counters and log.</param>
internal sealed class HandshakeDiagnostics(ICoapSessionTransportContext context)
{
    private const string NoIdentity = "none";

    // Enough to see why some devices fail; a stranger with a cookie must not fill the log.
    private const int FailuresPerMinute = 20;

    private readonly RateLimitedLog _failures = new(context.TimeProvider, FailuresPerMinute);
    private readonly RateLimitedLog _proofs = new(context.TimeProvider, FailuresPerMinute);
    private readonly RateLimitedLog _callbacks = new(context.TimeProvider);
    private readonly RateLimitedLog _stores = new(context.TimeProvider);
    private readonly RateLimitedLog _checks = new(context.TimeProvider);
    private readonly RateLimitedLog _steering = new(context.TimeProvider);

    /// <summary>Logs the messages of handshakes; null if that log is off.</summary>
    public Action<DtlsPath, HandshakeMessageLogEntry>? Trace { get; } = context.Logger.IsEnabled(LogLevel.Trace)
        ? (path, step) => DtlsLog.Handshake(context.Logger, path.Remote.ToString(), step.IsSent ? "sent" : "received", step.Message,
            step.Length, CoapUntrustedText.LineOf(step.Detail))
        : null;

    /// <summary>Handles a failed handshake.</summary>
    /// <param name="failure">The handshake, with text of a stranger or of user code.</param>
    public void Failed(FailedClientHandshake failure)
    {
        context.Counters.Add(CoapCounter.HandshakesFailed);
        context.Counters.Add(CounterOf(failure.End.Fault));
        string remote = failure.Path.Remote.ToString();
        if (failure.End.Exception is { InnerException: { } thrown } error && _callbacks.IsDue(out long leftOut))
        {
            DtlsLog.CallbackFailed(context.Logger, thrown, error.Callback, remote, leftOut);
        }

        if (_failures.IsDue(out long failuresLeftOut))
        {
            string identity = CoapUntrustedText.LineOf(failure.Identity);
            DtlsLog.HandshakeFailed(context.Logger, remote, identity.Length == 0 ? NoIdentity : identity,
                CoapUntrustedText.LineOf(failure.End.Why), failuresLeftOut);
        }
    }

    /// <summary>Handles a Finished that does not open with the key of the client's identity; the handshake goes on.</summary>
    /// <param name="path">The path to the client.</param>
    /// <param name="identity">The identity that the client claims; null for none.</param>
    public void HasWrongProof(DtlsPath path, string? identity)
    {
        if (_proofs.IsDue(out long leftOut))
        {
            DtlsLog.WrongProof(context.Logger, path.Remote.ToString(), CoapUntrustedText.LineOf(identity), leftOut);
        }
    }

    /// <summary>Handles an exception of a store of resumable sessions; the handshake goes on.</summary>
    /// <param name="store">The option that names the store.</param>
    /// <param name="exception">The exception.</param>
    public void StoreFailed(string store, Exception exception)
    {
        if (_stores.IsDue(out long leftOut))
        {
            DtlsLog.ResumptionStoreFailed(context.Logger, exception, store, leftOut);
        }
    }

    /// <summary>Handles a failed check of the credentials of a loaded session; the session waits for the next one.</summary>
    /// <param name="session">The session.</param>
    /// <param name="exception">The exception.</param>
    public void CheckFailed(DtlsSession session, Exception exception)
    {
        if (_checks.IsDue(out long leftOut))
        {
            DtlsLog.CheckFailed(context.Logger, (exception as CallbackException)?.InnerException ?? exception,
                (exception as CallbackException)?.Callback ?? "CoapDtlsServerOptions", session.Path.Remote.ToString(), leftOut);
        }
    }

    /// <summary>Handles an exception of the steering.</summary>
    /// <param name="exception">The exception.</param>
    public void SteeringFailed(Exception exception)
    {
        if (_steering.IsDue(out long leftOut))
        {
            DtlsLog.SteeringFailed(context.Logger, exception, leftOut);
        }
    }

    private static CoapCounter CounterOf(HandshakeFault fault) => fault switch
    {
        HandshakeFault.TimedOut => CoapCounter.HandshakesTimedOut,
        HandshakeFault.UnknownIdentity => CoapCounter.HandshakesOfUnknownIdentities,
        HandshakeFault.WrongKey => CoapCounter.HandshakesWithWrongKeys,
        HandshakeFault.NothingInCommon => CoapCounter.HandshakesWithNothingInCommon,
        HandshakeFault.CertificateRefused => CoapCounter.CertificatesRefused,
        HandshakeFault.NoCertificate => CoapCounter.CertificatesMissing,
        HandshakeFault.CallbackFailed => CoapCounter.HandshakeCallbackFailures,
        _ => CoapCounter.HandshakesFailedOtherwise,
    };
}
