using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Server;

/// <summary>An operator switches the log of each chapter, or of all, by the configuration.</summary>
public sealed class LogCategoryTests : HostTest
{
    [Fact]
    public async Task A_level_for_one_category_shows_only_messages_of_its_chapter()
    {
        (string Category, int Id)[] logged = await LogAsync("CoAP.NET.Dtls");

        Assert.Contains(("CoAP.NET.Dtls", 2100), logged);
        Assert.All(logged, static one => Assert.Equal(("CoAP.NET.Dtls", true), (one.Category, one.Id is >= 2100 and <= 2199)));
    }

    [Fact]
    public async Task A_level_for_the_common_prefix_shows_all_chapters()
    {
        (string Category, int Id)[] logged = await LogAsync("CoAP.NET");

        Assert.Empty(((string[])["CoAP.NET", "CoAP.NET.Dtls", "CoAP.NET.Routes", "CoAP.NET.Udp"])
            .Except(logged.Select(static one => one.Category)));
        Assert.Contains(("CoAP.NET.Routes", 1500), logged);
    }

    // What a server with coaps logs while it starts, answers, fails and stops.
    private async Task<(string Category, int Id)[]> LogAsync(string category)
    {
        CategoryRecorder log = new();
        HostApplicationBuilder builder = Builder(("Logging:LogLevel:Default", "None"), ($"Logging:LogLevel:{category}", "Debug"),
            ("Coap:Server:Endpoints", "coaps://127.0.0.1:0"), ("Coap:Server:Dtls:Psk:meter-1", "first"));
        builder.Logging.ClearProviders().AddConfiguration(builder.Configuration.GetSection("Logging")).AddProvider(log);
        ICoapServerBuilder server = builder.Services.AddCoapServer().UseDtls();
        server.MapGet("/state", static () => "on");
        server.MapGet("/broken", static string () => throw new InvalidOperationException("broken"));
        IHost host = await StartAsync(builder);
        await using CoapClient client = new(static options => options.UsePsk("meter-1", "first"u8));
        Assert.Equal("on", (await Within(client.GetAsync(AddressOf(host) + "/state"))).GetText());
        Assert.Equal(CoapCode.InternalServerError, (await Within(client.GetAsync(AddressOf(host) + "/broken"))).Code);
        await Within(host.StopAsync());
        return [.. log.Entries];
    }

    private sealed class CategoryRecorder : ILoggerProvider
    {
        public ConcurrentQueue<(string Category, int Id)> Entries { get; } = new();

        public ILogger CreateLogger(string categoryName) => new OfCategory(categoryName, Entries);

        public void Dispose()
        {
        }

        private sealed class OfCategory(string category, ConcurrentQueue<(string Category, int Id)> entries) : TestLogger
        {
            protected override void Write(LogLevel level, EventId id, string text, Exception? exception) =>
                entries.Enqueue((category, id.Id));
        }
    }
}
