namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Keeps the log of a web application, and reports the end of its first request.</summary>
internal sealed class RequestLog : ILoggerProvider
{
    private const string Diagnostics = "Microsoft.AspNetCore.Hosting.Diagnostics";

    private readonly TaskCompletionSource _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes after the application has handled a request, with all its log entries.</summary>
    public Task Finished => _finished.Task;

    /// <summary>The entries from Warning on.</summary>
    public ConcurrentQueue<string> Complaints { get; } = new();

    public ILogger CreateLogger(string categoryName) => new Category(this, categoryName);

    public void Dispose()
    {
    }

    private sealed class Category(RequestLog log, string name) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            if (logLevel >= LogLevel.Warning)
            {
                log.Complaints.Enqueue($"{name}[{eventId.Id}] {formatter(state, exception)} {exception}");
            }

            if (name == Diagnostics && formatter(state, exception).StartsWith("Request finished", Ordinal))
            {
                log._finished.TrySetResult();
            }
        }
    }
}
