namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>Keeps what is logged, and tells who waits for a message.</summary>
internal sealed class LogRecorder : TestLogger
{
    private readonly ConcurrentDictionary<int, TaskCompletionSource> _waiting = new();

    public ConcurrentQueue<(LogLevel Level, int Id, string Text)> Entries { get; } = new();

    /// <summary>Ends when a message of an id was logged, also if that is long ago.</summary>
    public Task Saw(int id) => Waiter(id).Task;

    protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
    {
        Entries.Enqueue((level, id.Id, text));
        Waiter(id.Id).TrySetResult();
    }

    private TaskCompletionSource Waiter(int id) =>
        _waiting.GetOrAdd(id, _ => new TaskCompletionSource(RunContinuationsAsynchronously));
}
