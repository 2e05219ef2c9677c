using System.Text.Json.Serialization;

namespace CoAP.NET.Hosting.Tests.Problems;

public sealed partial class ProblemDetailsTests : ServedTest
{
    [Fact]
    public async Task Errors_without_payload_and_unknown_paths_are_described()
    {
        Server.Routes.UseProblemDetails();
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
    public async Task Who_accepts_another_format_gets_a_text()
    {
        Server.Routes.UseProblemDetails();
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
    public async Task Exceptions_are_told_while_developing_only(string environment, bool isTold)
    {
        Application.Environment.EnvironmentName = environment;
        Server.Routes.UseProblemDetails();
        Server.MapGet("/x", _ => throw new FormatException("secret"));
        await StartAsync();

        CoapProblem problem = (await AskAsync("/x")).ReadProblem();
        Assert.Equal("Internal Server Error", problem.Title!.Text);
        Assert.Equal(isTold ? "System.FormatException: secret" : null, problem.Detail?.Text);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task What_is_said_explicitly_wins_over_the_environment()
    {
        Application.Environment.EnvironmentName = "Development";
        Server.MapGet("/never", _ => throw new FormatException("secret"))
            .UseProblemDetails(options => options.IncludeExceptions = false);
        await StartAsync();

        Assert.Null((await AskAsync("/never")).ReadProblem().Detail);
    }

    [Fact]
    public async Task A_payload_that_cannot_be_read_is_told_to_whom_sent_it()
    {
        Server.Routes.UseProblemDetails();
        Server.MapPut("/x", request => CoapResults.Text($"{request.ReadJson(Context.Default.Int32)}"));
        await StartAsync();

        CoapResponse malformed = await AskAsync("/x", CoapMethod.Put,
            request => request.Content = new CoapContent("{"u8.ToArray(), CoapContentFormat.Json));
        Assert.Equal((CoapCode.BadRequest, "Bad Request: The payload is no JSON of the right form (line 1, byte 2)."),
            (malformed.Code, malformed.ReadProblem().ToString()));
        CoapResponse other = await AskAsync("/x", CoapMethod.Put, request => request.Content = CoapContent.Text("1"));
        Assert.Equal(CoapCode.UnsupportedContentFormat, other.Code);
        Assert.Contains("JSON", other.ReadProblem().Detail!.Text, Ordinal);
    }

    [Fact]
    public async Task Problems_may_be_changed_or_left_out()
    {
        Server.Routes.UseProblemDetails(options => options.Customize = (request, problem, exception) =>
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
        Assert.Equal(("/x", "why"), (problem.Instance, problem.Detail!.Text));
        await AskAsync("/none").Says("text");
        Assert.Equal("another one", (await AskAsync("/other")).ReadProblem().Title!.Text);
        CoapResponse text = await AskAsync("/x", more: request => request.Accept = CoapContentFormat.Json);
        Assert.Equal("Internal Server Error: why", text.GetText());
    }

    [JsonSerializable(typeof(int))]
    private sealed partial class Context : JsonSerializerContext;
}
