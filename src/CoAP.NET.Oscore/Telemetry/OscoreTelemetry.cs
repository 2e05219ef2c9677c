using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore.Endpoints;
using CoAP.NET.Oscore.Protection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Oscore.Telemetry;

/// <summary>
/// Counts and logs the OSCORE events of one endpoint. Thread-safe. <see cref="Count"/> runs no callbacks and is safe under locks;
/// everything else may log.
/// </summary>
internal sealed class OscoreTelemetry
{
    private readonly EventCounter<OscoreMetric> _ofContexts;
    private readonly EventCounter<OscoreMetric> _ofEndpoint;
    private readonly ILogger _logger;
    private readonly RateLimitedLog _lookups;
    private readonly RateLimitedLog _store;

    public OscoreTelemetry(OscoreContexts contexts, CoapStageContext stage)
    {
        _ofContexts = contexts.Counts;
        _ofEndpoint = OscoreInstruments.Of(stage.Meter).CountsOf(stage.TelemetryTags);
        _logger = stage.Logger;
        _lookups = new RateLimitedLog(stage.TimeProvider);
        _store = new RateLimitedLog(stage.TimeProvider);
    }

    public void Count(OscoreMetric kind, long by = 1)
    {
        _ofContexts.Add(kind, by);
        _ofEndpoint.Add(kind, by);
    }

    /// <summary>Handles a refused request.</summary>
    /// <param name="channel">The peer that sent it.</param>
    /// <param name="value">Its option, as far as it is readable.</param>
    /// <param name="fault">The reason.</param>
    public void Refused(CoapChannel channel, scoped in OscoreOptionValue value, OscoreFault fault)
    {
        Count(fault switch
        {
            OscoreFault.UnknownContext => OscoreMetric.UnknownContext,
            OscoreFault.Replay => OscoreMetric.Replay,
            OscoreFault.Decryption => OscoreMetric.DecryptionFailed,
            _ => OscoreMetric.Malformed,
        });
        if (!_logger.IsEnabled(LogLevel.Debug))
        {
            return;
        }

        if (value.HasKid)
        {
            OscoreLog.RequestRefused(
                _logger, channel, new OscoreContextLookupKey(value.Kid, value.HasKidContext, value.KidContext), fault);
        }
        else
        {
            OscoreLog.RequestMalformed(_logger, channel);
        }
    }

    public void Challenged(CoapChannel channel, OscoreContext context)
    {
        Count(OscoreMetric.Challenged);
        OscoreLog.Challenged(_logger, channel, context);
    }

    public void ResponseDropped(CoapChannel channel, OscoreMetric reason)
    {
        Count(reason);
        OscoreLog.ResponseDropped(_logger, channel, reason);
    }

    public void ContextFound(OscoreContext context, OscoreContextLookupKey recipient)
    {
        Count(OscoreMetric.ContextFound);
        OscoreLog.ContextFound(_logger, context, recipient);
    }

    public void LookupFailed(OscoreContextLookupKey recipient, Exception exception)
    {
        Count(OscoreMetric.LookupFailed);
        if (_lookups.IsDue(out long leftOut))
        {
            OscoreLog.LookupFailed(_logger, recipient, leftOut, exception);
        }
    }

    public void LookupWrong(OscoreContext context, OscoreContextLookupKey recipient)
    {
        Count(OscoreMetric.LookupFailed);
        if (_lookups.IsDue(out long leftOut))
        {
            OscoreLog.LookupWrong(_logger, context, recipient, leftOut);
        }
    }

    public void StoreFailed(OscoreContext context, Exception exception)
    {
        Count(OscoreMetric.ReservationFailed);
        if (_store.IsDue(out long leftOut))
        {
            OscoreLog.StoreFailed(_logger, context, leftOut, exception);
        }
    }

    public void NumbersNearlyUsed(OscoreContext context) => OscoreLog.NumbersNearlyUsed(_logger, context);
}
