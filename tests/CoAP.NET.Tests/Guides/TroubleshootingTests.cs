using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Text.RegularExpressions;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/troubleshooting.md, and the counters that it names.</summary>
public sealed partial class TroubleshootingTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("troubleshooting.md", "Guides", 3);

    [Theory]
    [InlineData("troubleshooting.md", 10)]
    [InlineData("security.md", 4)]
    public void Each_counter_named_on_the_page_exists(string page, int atLeast)
    {
        string text = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", page));
        string[] counters = [.. CountersNamed().Matches(text)
            .SelectMany(match => match.Groups["name"].Captures.Select(capture => capture.Value)).Distinct()];
        Assert.True(counters.Length >= atLeast, string.Join(' ', counters));
        Type[] settings = [typeof(CoapTransmissionParameters), typeof(CoapStreamOptions), typeof(X509ChainPolicy),
            .. typeof(CoapLimits).GetProperties().Select(static group => group.PropertyType)];
        Assert.All(counters,
            name => Assert.True(Enum.TryParse<CoapCounter>(name, out _) || settings.Any(type => type.GetProperty(name) is not null), name));
    }

    [Fact]
    public async Task Counters_are_printed()
    {
        ILoggerFactory loggerFactory = NullLoggerFactory.Instance;
        CoapEndpointOptions options = new() { LoggerFactory = loggerFactory };
        await using CoapServer server = new(options);
        Console.WriteLine(server.Counters);
        Console.WriteLine(server.Counters["FormatErrors"]);

        server.Counters.Add(CoapCounter.FormatErrors, 2);
        Assert.Equal("FormatErrors 2", $"{server.Counters}");
    }

    [Fact]
    public void The_zone_of_a_URI_follows_the_address()
    {
        CoapUri uri = CoapUri.Parse("coap://[fe80::1%25eth0]/temperature");
        Console.WriteLine($"{uri.Host} by {uri.ZoneId}");

        Assert.Equal("fe80::1 by eth0", $"{uri.Host.Trim('[', ']')} by {uri.ZoneId}");
    }

    [Fact]
    public async Task ParametersOf_sets_a_small_block_size_for_a_peer()
    {
        IPNetwork radio = IPNetwork.Parse("127.0.0.0/8");
        CoapEndpointOptions options = new()
        {
            ParametersOf = peer => radio.Contains(peer.Address)
                ? CoapTransmissionParameters.Default with { PreferredBlockSize = 64, MaxMessageSize = 160 }
                : null,
        };
        await using CoapServer server = new(options);
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/", () => new string('x', 1000));
        await server.StartAsync();
        await using CoapClient client = new();
        CoapResponse response = await client.GetAsync(server.LocalEndpoints[0]).WaitAsync(s_hang);
        Assert.Equal(1000, response.Payload.Length);
        Assert.Equal(16, server.Counters[CoapCounter.RequestsReceived]);
    }

    [Fact]
    public async Task The_error_about_a_port_in_use_says_what_to_do()
    {
        await using CoapServer first = new();
        first.Listen("coap://127.0.0.1:0");
        await first.StartAsync();
        await using CoapServer second = new();
        second.Listen(first.LocalEndpoints[0].ToString());
        CoapException error = await Assert.ThrowsAnyAsync<CoapException>(() => second.StartAsync());
        error.Mentions("Another endpoint or process holds the port");
    }

    // In brackets behind what happens, or before the word counts.
    [GeneratedRegex(@"\((?:`(?<name>[A-Z][A-Za-z]+)`(?:, )?)+[^)]*\)|`(?<name>[A-Z][A-Za-z]+)` (?:counts|means)")]
    private static partial Regex CountersNamed();
}
