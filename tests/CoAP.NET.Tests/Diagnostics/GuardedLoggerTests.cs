using CoAP.NET.Diagnostics;
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

    private sealed class Throwing : TestLogger
    {
        public override bool IsEnabled(LogLevel logLevel) => throw new InvalidOperationException("enabled");

        protected override void Write(LogLevel level, EventId id, string text, Exception? exception) =>
            throw new InvalidOperationException("log");
    }
}
