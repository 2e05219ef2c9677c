namespace CoAP.NET.Hosting.Tests.Filters;

/// <summary>Loggers for a server without a host.</summary>
internal sealed class SingleLogger(LogRecorder recorder) : ILoggerFactory
{
    public ILogger CreateLogger(string categoryName) => recorder;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }
}
