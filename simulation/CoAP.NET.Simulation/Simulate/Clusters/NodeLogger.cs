using Microsoft.Extensions.Logging;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Notes what a node logs from Information on; from Debug on where all is told.</summary>
/// <param name="world">The world.</param>
/// <param name="node">The node.</param>
internal sealed class NodeLogger(ClusterWorld world, SimulatedClusterNode node) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= (ClusterJournal.Echo is null ? LogLevel.Information : LogLevel.Debug);

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel) && !node.Time.IsDead)
        {
            string what = exception is null ? "" : $" {exception}";
            world.Journal.Note($"{node} logs {logLevel} {eventId.Id}: {formatter(state, exception)}{what}");
        }
    }
}

/// <summary>Gives all chapters of a node the same log.</summary>
/// <param name="logger">The log.</param>
internal sealed class NodeLoggers(NodeLogger logger) : ILoggerFactory
{
    public ILogger CreateLogger(string categoryName) => logger;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }
}
