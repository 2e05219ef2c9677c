using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>The snippets and the table of docs/dashboard.md.</summary>
public sealed partial class DashboardDocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("dashboard.md", "Dashboard", 2, "CoAP.NET.Explorer.Tests");

    [Fact]
    public void The_table_of_limits_states_the_defaults()
    {
        CoapDashboardOptions options = new();
        Dictionary<string, string> table = Row().Matches(File.ReadAllText(Path.Combine(Repository.Root, "docs", "dashboard.md")))
            .ToDictionary(row => row.Groups["name"].Value, row => row.Groups["value"].Value);

        Assert.Equal(new Dictionary<string, string>
        {
            ["MaxViewers"] = $"{options.MaxViewers}",
            ["MaxPeers"] = $"{options.MaxPeers}",
            ["MaxRoutes"] = $"{options.MaxRoutes}",
            ["MaxTraces"] = $"{options.MaxTraces}",
            ["MaxTraceMessages"] = $"{options.MaxTraceMessages}",
            ["TraceDuration"] = $"{options.TraceDuration.TotalSeconds} s",
        }, table);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxViewers = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.TraceDuration = FromHours(2));
        Assert.False(options.IncludePayloads);
        Assert.False(options.AllowAnonymous);
    }

    [Fact]
    public async Task A_dashboard_behind_authorization_refuses_unauthorized_clients()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        builder.Services.AddAuthentication(CookieAuthenticationDefaults.AuthenticationScheme).AddCookie(cookie =>
            cookie.Events.OnRedirectToLogin = context =>
            {
                context.Response.StatusCode = 401;
                return Task.CompletedTask;
            });
        builder.Configuration["Coap:Server:Endpoints:0"] = "coap://127.0.0.1:0";
        builder.Configuration["Coap:Servers:north:Endpoints:0"] = "coap://127.0.0.1:0";
        builder.Services.AddCoapServer("north");

        builder.Services.AddCoapServer();
        builder.Services.AddAuthorization();

        WebApplication app = builder.Build();
        app.UseAuthentication();
        app.UseAuthorization();
        app.MapCoapDashboard("/coap/live").RequireAuthorization();

        app.MapCoapDashboard("/coap/north", options =>
        {
            options.ServerName = "north";
            options.MaxViewers = 4;
            options.MaxTraceMessages = 100;
        }).RequireAuthorization();
        await using (app)
        {
            await app.StartAsync().WaitAsync(DashboardSite.Hang);
            using HttpClient http = new()
            {
                BaseAddress = new Uri(
                    app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()),
            };
            http.DefaultRequestHeaders.Add("X-CoAP-Explorer", "1");
            foreach (string path in new[] { "/coap/live/", "/coap/live/assets/dashboard.js", "/coap/north/" })
            {
                using HttpResponseMessage page = await http.GetAsync(new Uri(path, UriKind.Relative));
                Assert.Equal(HttpStatusCode.Unauthorized, page.StatusCode);
            }

            foreach (string call in new[] { "live", "peers", "trace" })
            {
                using StringContent body = new("{\"peer\":\"127.0.0.1\"}");
                using HttpResponseMessage answer = await http.PostAsync(new Uri("/coap/live/api/" + call, UriKind.Relative), body);
                Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
            }

            await app.StopAsync();
        }
    }

    [GeneratedRegex(@"^\| `(?<name>\w+)` \| (?<value>[^|]+) \| [^|]+ \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
