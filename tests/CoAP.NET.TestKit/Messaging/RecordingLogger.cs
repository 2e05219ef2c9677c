using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Keeps level and text of log messages, and whether a lock was held when they were written.</summary>
internal sealed class RecordingLogger : TestLogger
{
    public List<(LogLevel Level, string Text)> Entries { get; } = [];

    public Func<bool> IsLockHeld { get; set; } = () => false;

    public bool WasCalledUnderLock { get; private set; }

    protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
    {
        WasCalledUnderLock |= IsLockHeld();
        lock (Entries)
        {
            Entries.Add((level, text + exception));
        }
    }
}
