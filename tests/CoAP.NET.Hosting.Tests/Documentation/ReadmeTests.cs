using System.Text.RegularExpressions;
using CoAP.NET.Hosting.BoundRoutes;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>The hosted program of the README.</summary>
public sealed partial class ReadmeTests
{
    [Fact]
    public async Task The_program_checks_its_configuration_when_it_starts()
    {
        OptionsValidationException error =
            await Assert.ThrowsAsync<OptionsValidationException>(() => RunAsync(["--Coap:Server:Limits:MaxBodySize=much"]));

        Assert.Contains("Coap:Server:Limits:MaxBodySize", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void It_is_the_one_of_the_page()
    {
        Match snippet = Snippet().Match(Page.Read("../README.md"));

        Assert.True(snippet.Success);
        Assert.Contains(Flat(snippet.Groups["code"].Value), Flat(File.ReadAllText(Page.TestFile("ReadmeTests.cs"))),
            StringComparison.Ordinal);
    }

    private static async Task RunAsync(string[] args)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddSingleton<IDeviceStore, DeviceStore>();
        builder.Services.AddCoapClient<Backend>(options => options.BaseAddress = "coap://backend.example/");

        ICoapServerBuilder server = builder.Services.AddCoapServer(); // addresses, limits and certificates from appsettings.json
        server.MapGet("/devices/{id}", (string id, IDeviceStore store, CancellationToken ct) => store.FindAsync(id, ct));
        server.MapPut("/devices/{id}", (string id, Device device, IDeviceStore store) => store.Save(device with { Id = id }));

        await builder.Build().RunAsync();
    }

    private static string Flat(string code) => Blank().Replace(code, string.Empty);

    [GeneratedRegex("^```cs\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();

    internal sealed class Backend(ICoapClient client)
    {
        public ICoapClient Client => client;
    }
}
