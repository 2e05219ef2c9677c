using Microsoft.Extensions.Logging;

namespace CoAP.NET.Survival.Nodes;

/// <summary>Says on the error stream what a node logs, with its name and the time.</summary>
/// <param name="name">The name.</param>
/// <param name="least">What is not less than this.</param>
internal sealed class NodeLog(string name, LogLevel least) : BenchLog(least), ILoggerProvider
{
    private readonly Lock _gate = new();

    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception)
    {
        string time = TimeProvider.System.GetUtcNow().ToString("HH:mm:ss.fff");
        lock (_gate)
        {
            Console.Error.WriteLine($"{time} {name} {id.Id} {text} {exception?.Message}");
        }
    }
}
