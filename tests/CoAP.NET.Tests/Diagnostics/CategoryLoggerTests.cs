using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>The logger of an endpoint writes each message to the category of its chapter.</summary>
public sealed class CategoryLoggerTests
{
    [Fact]
    public void A_message_is_written_to_the_category_of_its_id_if_that_has_the_level()
    {
        Loggers loggers = new("CoAP.NET.Dtls", "CoAP.NET.Routes");
        ILogger logger = CategoryLogger.Make(loggers);

        foreach (int id in (int[])[2100, 1500, 1000, 1601, 7])
        {
            logger.Log(LogLevel.Debug, id, "text", null, static (text, _) => text);
        }

        Assert.Equal(["CoAP.NET.Dtls 2100", "CoAP.NET.Routes 1500"], loggers.Written);
    }

    [Fact]
    public void The_logger_has_a_level_that_any_category_has()
    {
        Assert.True(CategoryLogger.Make(new Loggers("CoAP.NET.Blockwise")).IsEnabled(LogLevel.Debug));
        Assert.True(CategoryLogger.Make(new Loggers("CoAP.NET")).IsEnabled(LogLevel.Debug));
        Assert.False(CategoryLogger.Make(new Loggers()).IsEnabled(LogLevel.Debug));
    }

    [Fact]
    public void An_endpoint_without_log_has_the_null_logger() =>
        Assert.Same(NullLogger.Instance, CategoryLogger.Make(NullLoggerFactory.Instance));

    private sealed class Loggers(params string[] enabled) : ILoggerFactory
    {
        public List<string> Written { get; } = [];

        public ILogger CreateLogger(string categoryName) => new OfCategory(categoryName, enabled.Contains(categoryName), Written);

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }

    private sealed class OfCategory(string category, bool isEnabled, List<string> written) : TestLogger
    {
        public override bool IsEnabled(LogLevel logLevel) => isEnabled;

        protected override void Write(LogLevel level, EventId id, string text, Exception? exception) => written.Add($"{category} {id.Id}");
    }
}
