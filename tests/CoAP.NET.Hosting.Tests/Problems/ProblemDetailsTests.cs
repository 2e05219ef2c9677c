using System.Text.Json.Serialization;

namespace CoAP.NET.Hosting.Tests.Problems;

public sealed partial class ProblemDetailsTests : ServedTest
{
    [Fact]
    public async Task Errors_without_a_payload_and_unknown_paths_get_problem_details()
    {
        Server.Routes.WithProblemDetails();
        Server.MapGet("/gone", () => CoapResults.NotFound());
        Server.MapGet("/why", () => CoapResults.Conflict("The lock is open."));
        Server.MapGet("/own", () => CoapResults.Problem(CoapCode.Conflict, "Own"));
        Server.MapGet("/x", () => "x");
        await StartAsync();

        Assert.Equal("Not Found", (await AskAsync("/gone")).ReadProblem().ToString());
        Assert.Equal("Not Found", (await AskAsync("/unknown")).ReadProblem().ToString());
        Assert.Equal("Method Not Allowed", (await AskAsync("/x", CoapMethod.Put)).ReadProblem().ToString());
        Assert.Equal("Conflict: The lock is open.", (await AskAsync("/why")).ReadProblem().ToString());
        Assert.Equal("Own", (await AskAsync("/own")).ReadProblem().ToString());
        await AskAsync("/x").Says("x");
    }

    [Fact]
    public async Task A_client_that_accepts_another_format_gets_a_text()
    {
        Server.Routes.WithProblemDetails();
        Server.MapGet("/gone", () => CoapResults.NotFound());
        Server.MapGet("/why", () => CoapResults.Conflict("The lock is open."));
        await StartAsync();

        CoapResponse gone = await AskAsync("/gone", more: request => request.Accept = CoapContentFormat.Json);
        Assert.Equal((null, "Not Found"), (gone.ContentFormat, gone.GetText()));
        CoapResponse why = await AskAsync("/why", more: request => request.Accept = CoapContentFormat.Json);
        Assert.Equal((null, "The lock is open."), (why.ContentFormat, why.GetText()));
        CoapResponse accepted = await AskAsync("/why", more: request => request.Accept = CoapContentFormat.ConciseProblemDetails);
        Assert.Equal("Conflict: The lock is open.", accepted.ReadProblem().ToString());
    }

    [Theory]
    [InlineData("Development", true)]
    [InlineData("Production", false)]
    public async Task Exception_details_are_included_only_in_the_development_environment(string environment, bool isTold)
    {
        Application.Environment.EnvironmentName = environment;
        Server.Routes.WithProblemDetails();
        Server.MapGet("/x", _ => throw new FormatException("secret"));
        await StartAsync();

        CoapProblem problem = (await AskAsync("/x")).ReadProblem();
        Assert.Equal("Internal Server Error", problem.Title);
        Assert.Equal(isTold ? "System.FormatException: secret" : null, problem.Detail);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task An_explicit_setting_overrides_the_environment()
    {
        Application.Environment.EnvironmentName = "Development";
        Server.MapGet("/never", _ => throw new FormatException("secret"))
            .WithProblemDetails(options => options.IncludeExceptions = false);
        await StartAsync();

        Assert.Null((await AskAsync("/never")).ReadProblem().Detail);
    }

    [Fact]
    public async Task The_problem_details_for_an_unreadable_payload_explain_the_error_to_the_client()
    {
        Server.Routes.WithProblemDetails();
        Server.MapPut("/x", request => CoapResults.Text($"{request.ReadJson(Context.Default.Int32)}"));
        await StartAsync();

        CoapResponse malformed = await AskAsync("/x", CoapMethod.Put,
            request => request.Content = new CoapContent("{"u8.ToArray(), CoapContentFormat.Json));
        Assert.Equal((CoapCode.BadRequest, "Bad Request: The payload is not JSON of the expected form (line 1, byte 2)."),
            (malformed.Code, malformed.ReadProblem().ToString()));
        CoapResponse other = await AskAsync("/x", CoapMethod.Put, request => request.Content = CoapContent.Text("1"));
        other.Gives(CoapCode.UnsupportedContentFormat);
        other.ReadProblem().Detail.Mentions("JSON");
    }

    [Fact]
    public async Task Problem_details_may_be_changed_or_omitted()
    {
        Server.Routes.WithProblemDetails(options => options.Customize = (request, problem, exception) =>
        {
            problem.Instance = request.Path;
            problem.Detail = exception?.Message ?? problem.Detail;
            return request.Path switch
            {
                "/none" => null,
                "/other" => new CoapProblem { Title = "another one" },
                _ => problem,
            };
        });
        Server.MapGet("/other", () => CoapResults.NotFound());
        Server.MapGet("/x", _ => throw new FormatException("why"));
        Server.MapGet("/none", () => CoapResults.NotFound("text"));
        await StartAsync();

        CoapProblem problem = (await AskAsync("/x")).ReadProblem();
        Assert.Equal(("/x", "why"), (problem.Instance, problem.Detail));
        await AskAsync("/none").Says("text");
        Assert.Equal("another one", (await AskAsync("/other")).ReadProblem().Title);
        CoapResponse text = await AskAsync("/x", more: request => request.Accept = CoapContentFormat.Json);
        text.Says("Internal Server Error: why");
    }

    [JsonSerializable(typeof(int))]
    private sealed partial class Context : JsonSerializerContext;
}
