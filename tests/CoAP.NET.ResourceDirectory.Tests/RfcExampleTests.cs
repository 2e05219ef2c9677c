namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>
/// The exchanges that RFC 9176 shows. Where it writes values without quotes or in another order, the same links are meant; locations are
/// those of this directory.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public class RfcExampleTests
{
    private const string Light = "tag:example.com,2020:light";

    [Fact]
    [Rfc("9176-4.3-1", "9176-4-1")]
    public async Task A_directory_is_discovered()
    {
        // Section 4.3. This directory has lookups that can be observed, which is said, as in the second example there.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        CoapResponse found = await world.GetAsync("/.well-known/core?rt=core.rd*");
        AssertLinks("</rd>;rt=core.rd;ct=40,</rd-lookup/ep>;rt=core.rd-lookup-ep;ct=40;obs,"
            + "</rd-lookup/res>;rt=core.rd-lookup-res;ct=40;obs", found.GetText());
        await world.GetAsync("/.well-known/core?rel=impl-info").Says("");
        world.Server.MapGet("/about", () => "").AllowInsecureTransport().WithLink(
            new CoapLink("http://software.example.com/shiny-resource-directory/1.0beta1", new CoapLinkAttribute("rel", "impl-info")));
        AssertLinks("<http://software.example.com/shiny-resource-directory/1.0beta1>;rel=impl-info",
            (await world.GetAsync("/.well-known/core?rel=impl-info")).GetText());
    }

    [Fact]
    public async Task The_group_examples_of_the_RFC_are_reproduced()
    {
        // Appendix B.
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        const string Base = "coap://[ff35:30:2001:db8:f1::8000:1]";
        string group = await world.RegisterAsync($"ep=lights&et=core.rd-group&base={Base}",
            $"</light>;rt=\"{Light}\";if=\"tag:example.net,2020:actuator\",</color-temperature>;if=\"tag:example.net,2020:parameter\";u=K");
        AssertLinks($"<{group}>;ep=lights;et=core.rd-group;base=\"{Base}\";rt=core.rd-ep", await world.EndpointsAsync("et=core.rd-group"));
        AssertLinks($"<{Base}/light>;rt=\"{Light}\";if=\"tag:example.net,2020:actuator\","
            + $"<{Base}/color-temperature>;if=\"tag:example.net,2020:parameter\";u=K", await world.LinksAsync("et=core.rd-group"));
    }

    // Links are equal when their targets and attributes are, in whatever order and quoted or not.
    private static void AssertLinks(string expected, string actual, bool inOrder = false)
    {
        string[] wanted = Read(expected);
        string[] found = Read(actual);
        if (!inOrder)
        {
            Array.Sort(wanted, StringComparer.Ordinal);
            Array.Sort(found, StringComparer.Ordinal);
        }

        Assert.Equal(wanted, found);

        static string[] Read(string links) => [.. CoapLinkFormat.Parse(links).Select(link => link.Target + " "
            + string.Join(' ', link.Attributes.Select(one => $"{one.Name}={one.Value}").Order(StringComparer.Ordinal)))];
    }
}
