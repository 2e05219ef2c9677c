using System.Globalization;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>
/// The pictures of docs/explorer.md, from a page that works: <c>COAP_WRITE_DOCS=1</c> writes them. Otherwise the way to each picture is
/// tried, so that it is not one of something that is no more. CI keeps pictures of all windows.
/// </summary>
public sealed class ExplorerScreenshots(Chromium chromium) : IClassFixture<Chromium>
{
    /// <summary>The widths of a phone, a tablet and a screen, in both schemes.</summary>
    public static TheoryData<int, ColorScheme> Windows { get; } = new MatrixTheoryData<int, ColorScheme>(
        [390, 820, 1440], [ColorScheme.Light, ColorScheme.Dark]);

    [Theory]
    [External("chromium")]
    [MemberData(nameof(Windows))]
    public async Task The_page_fits_each_window(int width, ColorScheme scheme)
    {
        await using CoapServer plant = await StartPlantAsync(static () => 21.5);
        await using CoapLocalExplorer explorer =
            await CoapLocalExplorer.StartAsync(options => options.FirstTarget = plant.LocalEndpoints[0]);
        await using BrowserPage page = await chromium.OpenAsync(explorer.Address, width, 900, scheme);

        await page.SaysAsync("tree", "lamp");
        await ShowAsync("explorer");

        // The window of a phone shows one part of the page: a tap on a resource leads to its request.
        await page["tree-row"].Filter(new() { HasText = "lamp" }).ClickAsync();
        await page["send"].ClickAsync();
        await page.SaysAsync("json-tree", "evening");
        await ShowAsync("explorer-response");
        await page["tab-wire"].ClickAsync();
        await page["wire-message"].First.ClickAsync();
        await ShowAsync("explorer-wire");

        async Task ShowAsync(string name)
        {
            await BrowserPage.KeepAsync(page.Page, $"{name}-{width}-{scheme}");
            Assert.Equal(width, await page.Page.EvaluateAsync<int>("document.documentElement.scrollWidth"));
        }
    }

    [Fact]
    [External("chromium")]
    public async Task A_resource_is_plotted_with_three_clicks()
    {
        double celsius = 21.5;
        await using CoapServer plant = await StartPlantAsync(() => celsius);
        await using CoapLocalExplorer explorer =
            await CoapLocalExplorer.StartAsync(options => options.FirstTarget = plant.LocalEndpoints[0]);

        await using (BrowserPage page = await chromium.OpenAsync(explorer.Address))
        {
            await page.SaysAsync("tree", "lamp");
            await page["tree-row"].Filter(new() { HasText = "lamp" }).DblClickAsync();
            await page.SaysAsync("json-tree", "evening");
            await page.ShootAsync("explorer.png");
            await page["tab-wire"].ClickAsync();
            await page["wire-message"].First.ClickAsync();
            await page["byte"].Nth(1).HoverAsync();
            await page.ShootAsync("explorer-wire.png");
        }

        await using (BrowserPage page = await chromium.OpenAsync(explorer.Address, scheme: ColorScheme.Dark))
        {
            await page.SaysAsync("tree", "temperature");
            await page["tree-row"].Filter(new() { HasText = "Temperatures" }).ClickAsync();
            await page["observe"].ClickAsync();
            await page.SaysAsync("observe-state", "Observing");
            for (int i = 0; i < 40; i++)
            {
                celsius = 21.5 + (45 * (1 - Math.Exp(-i / 12.0))) + (2 * Math.Sin(i / 2.0));
                plant.Notify("/boiler/temperature");
                await page.SaysAsync("observe-value", Math.Round(celsius, 1).ToString(CultureInfo.InvariantCulture));
            }

            await page.ShootAsync("explorer-observe.png");
        }
    }

    // A boiler, a lamp, a door.
    private static async Task<CoapServer> StartPlantAsync(Func<double> celsius)
    {
        CoapServer plant = new();
        plant.MapGet("/boiler/temperature", (CoapRequestContext _) => CoapResults.Content(CoapContent.Senml(new CoapSenmlPack(
            new CoapSenmlRecord { BaseName = "urn:dev:boiler:", Name = "inlet", Unit = "Cel", Value = Math.Round(celsius(), 1) },
            new CoapSenmlRecord { Name = "outlet", Unit = "Cel", Value = Math.Round((celsius() * 0.8) + 9, 1) }))))
            .Observable().WithTitle("Temperatures of the boiler").WithResourceType("temperature")
            .WithContentFormat(CoapContentFormat.SenmlJson);
        plant.MapGet("/boiler/switch", _ => CoapResults.Text("on")).WithTitle("The switch of the boiler");
        plant.MapGet("/hall/lamp", _ => CoapResults.Bytes(
            "{\"name\":\"lamp\",\"on\":true,\"level\":7,\"scenes\":[\"evening\",\"work\"]}"u8.ToArray(), CoapContentFormat.Json))
            .WithTitle("The lamp of the hall").WithContentFormat(CoapContentFormat.Json).Observable();
        plant.MapGet("/hall/door", _ => CoapResults.Text("closed")).WithResourceType("door").Observable();
        plant.MapGet("/firmware", _ => CoapResults.Bytes(new byte[4000], CoapContentFormat.OctetStream)).WithTitle("Its firmware");
        plant.Listen("coap://127.0.0.1:0");
        await plant.StartAsync();
        return plant;
    }
}
