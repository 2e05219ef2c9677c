using Microsoft.Extensions.Logging;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>The log of all nodes: what is an error and was not planned goes to whoever checks.</summary>
/// <param name="onError">Takes what was logged.</param>
internal sealed class ErrorLog(Action<string> onError) : ILoggerFactory, ILogger
{
    public void AddProvider(ILoggerProvider provider)
    {
    }

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (logLevel >= LogLevel.Error && exception is not PlannedException && eventId.Name != "HandlerReturnedNull")
        {
            onError($"{eventId.Name}: {formatter(state, exception)} {exception}");
        }
    }

    public void Dispose()
    {
    }
}
