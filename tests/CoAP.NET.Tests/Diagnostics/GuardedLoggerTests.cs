using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>A logger of the application that throws disturbs nothing, and is counted.</summary>
public sealed class GuardedLoggerTests
{
    [Fact]
    public void A_logger_that_throws_is_counted_for_each_of_its_calls()
    {
        CoapCounters counters = new();
        ILogger logger = GuardedLogger.Guard(new Throwing(), counters);

        Assert.False(logger.IsEnabled(LogLevel.Information));
        Assert.Equal(1, counters[CoapCounter.StageErrors]);
        logger.Log(LogLevel.Information, default, "text", null, static (text, _) => text);
        Assert.Equal(2, counters[CoapCounter.StageErrors]);
    }

    private sealed class Throwing : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => throw new InvalidOperationException("enabled");

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) => throw new InvalidOperationException("log");
    }
}
