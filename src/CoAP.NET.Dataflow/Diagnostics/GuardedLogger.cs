using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// Wraps the logger of a user. A provider is foreign code and may throw anything, at critical places: the thread that takes over a receive
/// role, the watchdog, the end of a handler. Its exceptions are counted and discarded.
/// </summary>
internal sealed class GuardedLogger : ILogger
{
    private readonly ILogger _logger;
    private readonly CoapCounters _counters;

    private GuardedLogger(ILogger logger, CoapCounters counters)
    {
        _logger = logger;
        _counters = counters;
    }

    /// <summary>Wraps a logger, except the null logger.</summary>
    public static ILogger Guard(ILogger logger, CoapCounters counters) =>
        logger is NullLogger ? logger : new GuardedLogger(logger, counters);

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        try
        {
            _logger.Log(logLevel, eventId, state, exception, formatter);
        }
#pragma warning disable CA1031 // see above
        catch (Exception)
#pragma warning restore CA1031
        {
            _counters.Add(CoapCounter.StageErrors);
        }
    }

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return _logger.IsEnabled(logLevel);
        }
#pragma warning disable CA1031 // see above
        catch (Exception)
#pragma warning restore CA1031
        {
            _counters.Add(CoapCounter.StageErrors);
            return false;
        }
    }

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        try
        {
            return _logger.BeginScope(state) is { } scope ? new Scope(scope, _counters) : null;
        }
#pragma warning disable CA1031 // see above
        catch (Exception)
#pragma warning restore CA1031
        {
            // Not null, which means that the logger does not support scopes.
            _counters.Add(CoapCounter.StageErrors);
            return new Scope(null, _counters);
        }
    }

    private sealed class Scope(IDisposable? scope, CoapCounters counters) : IDisposable
    {
        public void Dispose()
        {
            try
            {
                scope?.Dispose();
            }
#pragma warning disable CA1031 // see above
            catch (Exception)
#pragma warning restore CA1031
            {
                counters.Add(CoapCounter.StageErrors);
            }
        }
    }
}
