using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Shared;

/// <summary>Keeps what was logged.</summary>
internal sealed class ListLogger : TestLogger
{
    public ConcurrentQueue<(LogLevel Level, int Id, string Text, Exception? Exception)> Entries { get; } = new();

    /// <summary>Whether it breaks, as a logger of a user may one day.</summary>
    public bool Throws { get; set; }

    public List<(LogLevel Level, int Id, string Text, Exception? Exception)> Of(int id) => [.. Entries.Where(entry => entry.Id == id)];

    protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
    {
        if (Throws)
        {
            throw new InvalidOperationException("The log is full.");
        }

        Entries.Enqueue((level, id.Id, text, exception));
    }
}
