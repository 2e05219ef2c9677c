namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Keeps the log of a web application, and reports the end of its first request.</summary>
internal sealed class RequestLog : ILoggerProvider
{
    private const string Diagnostics = "Microsoft.AspNetCore.Hosting.Diagnostics";

    private readonly TaskCompletionSource _finished = new(RunContinuationsAsynchronously);

    /// <summary>Completes after the application has handled a request, with all its log entries.</summary>
    public Task Finished => _finished.Task;

    /// <summary>The entries from Warning on.</summary>
    public ConcurrentQueue<string> Complaints { get; } = new();

    public ILogger CreateLogger(string categoryName) => new Category(this, categoryName);

    public void Dispose()
    {
    }

    private sealed class Category(RequestLog log, string name) : TestLogger
    {
        protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
        {
            if (level >= LogLevel.Warning)
            {
                log.Complaints.Enqueue($"{name}[{id.Id}] {text} {exception}");
            }

            if (name == Diagnostics && text.StartsWith("Request finished", Ordinal))
            {
                log._finished.TrySetResult();
            }
        }
    }
}
