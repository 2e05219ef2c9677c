using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>Sections that configure nobody.</summary>
public sealed class UnusedSectionCheckTests : HostTest
{
    [Theory]
    [InlineData("Coap:Sever:Shards", "Coap:Sever configures nothing: its name is unknown. Did you mean Coap:Server?")]
    [InlineData("Coap:Clents:lamp:Timeout", "Coap:Clents configures nothing: its name is unknown. Did you mean Coap:Clients?")]
    [InlineData("Coap:Clients:lmap:Timeout",
        "Coap:Clients:lmap configures nothing: no client was added by this name. Did you mean Coap:Clients:lamp?")]
    [InlineData("Coap:Clients:thermometer:Timeout", "Coap:Clients:thermometer configures nothing: no client was added by this name.")]
    [InlineData(
        "Coap:Client:Timeout", "Coap:Client configures nothing: the clients that were added have names, such as Coap:Clients:lamp.")]
    [InlineData("Coap:Servers:Endpoints",
        "Coap:Servers:Endpoints configures nothing: no server was added by this name. The server without a name is configured by Coap:Server.")]
    [InlineData("Coap:Server:Shards", null)]
    [InlineData("coap:clients:LAMP:Timeout", null)]
    [InlineData("Coap:Telemetry:Level", null)]
    public void Sections_that_configure_nobody_are_named_with_what_was_meant(string key, string? expected)
    {
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection([new(key, "1")]).Build();
        Assert.Equal(expected is null ? [] : [expected], Find(configuration, [""], ["lamp"]));
    }

    [Fact]
    public void Sections_for_features_that_the_program_does_not_use_are_ignored()
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([new("Coap:Servers:edge:Shards", "1"), new("Coap:Client:Timeout", "1s")]).Build();
        Assert.Empty(Find(configuration, [], [""]));
    }

    [Fact]
    public async Task A_section_for_an_unknown_client_is_logged_as_a_warning_at_the_start()
    {
        HostApplicationBuilder builder = Builder(("Coap:Clients:lmap:BaseAddress", "coap://h"));
        builder.Services.AddCoapClient("lamp");
        await StartAsync(builder);
        Assert.Single(Logged.Entries,
            entry => entry.Id == 1805 && entry.Text.StartsWith("Coap:Clients:lmap configures nothing: no client", Ordinal));
    }

    [Fact]
    public void Many_unused_sections_are_counted_and_their_names_cannot_inject_lines_into_the_log()
    {
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection(
            [new("Coap:Clients:a\n\u001b[31mb\u202e:Timeout", "1s"),
                .. Enumerable.Range(0, 20_000).Select(i => new KeyValuePair<string, string?>($"Coap:Clients:x{i}:Timeout", "1s"))])
            .Build();

        string[] problems = Find(configuration, [""], ["lamp"]);

        Assert.Equal(ConfigurationFindingList<string>.MaxListed + 1, problems.Length);
        Assert.Equal("There are 19981 more sections that configure nothing.", problems[^1]);
        Assert.All(problems, problem => Assert.Equal(CoapUntrustedText.LineOf(problem), problem));
    }

    private static string[] Find(IConfiguration configuration, string[] servers, string[] clients)
    {
        ConfigurationFindingList<UnusedConfigurationKey> unused = UnusedSectionCheck.NewList();
        UnusedSectionCheck.Find(unused, configuration.GetSection("Coap"), servers, clients);
        return [.. unused];
    }
}
