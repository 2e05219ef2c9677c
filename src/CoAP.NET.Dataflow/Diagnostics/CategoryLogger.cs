using System.Collections.Frozen;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// The logger of an endpoint. It writes each message to the category of its chapter (<see cref="LogCategory"/>), so that no caller has to
/// know it. Scopes belong to all categories; providers share them.
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

        // The caller asked whether any category has the level.
        if (logger.IsEnabled(logLevel))
        {
            logger.Log(logLevel, eventId, state, exception, formatter);
        }
    }

    /// <summary>Whether any category has the level: callers ask before they have an id.</summary>
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
