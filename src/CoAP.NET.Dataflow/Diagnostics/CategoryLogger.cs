using System.Collections.Frozen;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// The logger of an endpoint. It writes each message to the category of its area (<see cref="LogCategory"/>); callers do not choose
/// the category. Scopes belong to all categories, because providers share them.
/// </summary>
internal sealed class CategoryLogger : ILogger
{
    private readonly FrozenDictionary<string, ILogger> _loggers;
    private readonly ILogger _endpoint;

    private CategoryLogger(FrozenDictionary<string, ILogger> loggers)
    {
        _loggers = loggers;
        _endpoint = loggers[LogCategory.Endpoint];
    }

    /// <summary>Creates the logger; the null logger if no category has another one.</summary>
    public static ILogger Make(ILoggerFactory factory)
    {
        FrozenDictionary<string, ILogger> loggers = LogCategory.All.ToFrozenDictionary(static name => name, factory.CreateLogger);
        return loggers.Values.All(static logger => logger is NullLogger) ? NullLogger.Instance : new CategoryLogger(loggers);
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        ILogger logger = _loggers[LogCategory.Of(eventId.Id)];

        // IsEnabled returned true if any category has the level.
        if (logger.IsEnabled(logLevel))
        {
            logger.Log(logLevel, eventId, state, exception, formatter);
        }
    }

    /// <summary>Whether any category has the level. Callers ask before they know the event id.</summary>
    public bool IsEnabled(LogLevel logLevel)
    {
        if (_endpoint.IsEnabled(logLevel))
        {
            return true;
        }

        foreach (ILogger logger in _loggers.Values)
        {
            if (logger.IsEnabled(logLevel))
            {
                return true;
            }
        }

        return false;
    }

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => _endpoint.BeginScope(state);
}
