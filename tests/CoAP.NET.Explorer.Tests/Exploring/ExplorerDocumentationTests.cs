using CoAP.NET.Dtls;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>The snippets of docs/explorer.md, so that they compile and do what the page says.</summary>
public sealed class ExplorerDocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("explorer.md", "Exploring", 2, "CoAP.NET.Explorer.Tests");

    [Fact]
    public async Task The_explorer_is_mapped_for_operators_and_a_network()
    {
        await using WebApplication app = Build();
        app.MapCoapExplorer("/coap", options => options.Targets.AllowNetwork("192.168.7.0/24"))
            .RequireAuthorization("operators");
        await app.StartAsync();

        using HttpClient browser = new();
        using HttpResponseMessage response = await browser.GetAsync(new Uri(app.Urls.First() + "/coap/"));
        Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
    }

    [Fact]
    public async Task A_profile_keeps_a_key_on_the_server()
    {
        CoapPskCredential key = CoapPskCredential.Parse("gateway:a secret");
        await using WebApplication app = Build();
        app.MapCoapExplorer("/coap", options =>
        {
            options.Targets.AllowHost("boiler.example.com");
            options.AddProfile(
                "boiler", endpoint => endpoint.UsePsk(key), "boiler.example.com");
        }).RequireAuthorization("operators");
        await app.StartAsync();

        using ExplorerPage page = new(new Uri(app.Urls.First() + "/coap/"), "1");
        page.Http.DefaultRequestHeaders.Add("X-User", "ann");
        string about = (await page.AskAsync("about", new { })).ToString();
        about.Mentions("boiler.example.com");
        about.Omits("a secret");
    }

    private static WebApplication Build()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddAuthentication("header")
            .AddScheme<Microsoft.AspNetCore.Authentication.AuthenticationSchemeOptions, HeaderUsers>("header", null);
        builder.Services.AddAuthorization(options =>
            options.AddPolicy("operators", policy => policy.RequireAuthenticatedUser()));
        WebApplication app = builder.Build();
        app.UseAuthentication();
        app.UseAuthorization();
        return app;
    }
}
