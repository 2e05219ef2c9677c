namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>Keeps what is logged, and tells who waits for a message.</summary>
internal sealed class LogRecorder : ILoggerProvider, ILogger
{
    private readonly ConcurrentDictionary<int, TaskCompletionSource> _waiting = new();

    public ConcurrentQueue<(LogLevel Level, int Id, string Text)> Entries { get; } = new();

    /// <summary>Ends when a message of an id was logged, also if that is long ago.</summary>
    public Task Saw(int id) => Waiter(id).Task;

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        Entries.Enqueue((logLevel, eventId.Id, formatter(state, exception)));
        Waiter(eventId.Id).TrySetResult();
    }

    public void Dispose()
    {
    }

    private TaskCompletionSource Waiter(int id) =>
        _waiting.GetOrAdd(id, _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
}
