using Microsoft.AspNetCore.Mvc;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>Requests over CoAP that do not fit the parameters of an endpoint, and bodies that fit in more than one format.</summary>
public sealed class EndpointBindingTests : EndpointTest
{
    private const int ArgumentRefused = 1520;

    private static readonly (CoapMethod Method, string Path, string? Body, int? Format, string Input)[] s_failures =
    [
        (CoapMethod.Get, "/query?count=3", null, null, "the query argument 'name' (String)"),
        (CoapMethod.Get, "/query?name=x&count=three", null, null, "the query argument 'count' (Int32)"),
        (CoapMethod.Get, "/named?limit=three", null, null, "the query argument 'limit' (Int32)"),
        (CoapMethod.Get, "/route/three", null, null, "the route value 'id' (Int32)"),
        (CoapMethod.Get, "/header", null, null, "the header 'X-Place' (String)"),
        (CoapMethod.Put, "/number", "three", 50, "the body 'celsius' (Double)"),
        (CoapMethod.Put, "/number", "three", 0, "the body 'celsius' (Double)"),
        (CoapMethod.Put, "/number", null, null, "the body 'celsius' (Double)"),
        (CoapMethod.Put, "/light", "{", 50, "the body 'light' (Light)"),
    ];

    private readonly ListLogger _log = new();

    public static TheoryData<bool, CoapMethod, string, string?, int?, string> Failures =>
    [
        .. from throws in (bool[])[false, true]
           from failure in s_failures
           select (throws, failure.Method, failure.Path, failure.Body, failure.Format, failure.Input),
    ];

    // ASP.NET Core throws in Development, and answers with the status alone elsewhere.
    [Theory]
    [MemberData(nameof(Failures))]
    public async Task A_failed_binding_is_answered_4_00_with_a_text_and_logged_once(
        bool throws, CoapMethod method, string path, string? body, int? format, string input)
    {
        await StartAsync(throws);
        _log.Entries.Clear();
        CoapResponse response = await AskAsync(method, path, Content(body, format));

        response.Gives(CoapCode.BadRequest);
        Assert.NotEmpty(response.GetText());
        if (!throws)
        {
            response.GetText().Mentions(input);
        }

        (LogLevel level, int id, string text, _) = Assert.Single(_log.Entries, static entry => entry.Level >= LogLevel.Information);
        Assert.Equal((LogLevel.Information, ArgumentRefused), (level, id));
        text.Mentions(input);
        text.Omits("three");
        Assert.Equal(1, Server.Counters["ArgumentsRefused"]);
    }

    [Theory]
    [InlineData(CoapMethod.Put, "/number", "<cold/>", 41, "4.15", "the body 'celsius' (Double)")]
    [InlineData(CoapMethod.Put, "/light", "on", 0, "4.15", "the body 'light' (Light)")]
    [InlineData(CoapMethod.Put, "/light", "x", 60, "4.00", "CBOR")]
    public async Task A_body_of_the_wrong_format_is_answered_with_a_text_and_logged_once(
        CoapMethod method, string path, string body, int format, string code, string input)
    {
        await StartAsync(throws: false);
        CoapResponse response = await AskAsync(method, path, Content(body, format));

        response.Code.ToString().Begins(code);
        response.GetText().Mentions(input);
        Assert.Single(_log.Of(ArgumentRefused)).Text.Mentions(input);
    }

    [Theory]
    [InlineData("/number", "23", null, "23")]
    [InlineData("/number", "23", 0, "23")]
    [InlineData("/number", "23", 50, "23")]
    [InlineData("/truth", "true", 0, "True")]
    [InlineData("/light", """{"id":7}""", null, "Light { Id = 7 }")]
    public async Task A_number_is_read_from_text_and_from_JSON_and_a_body_without_a_format_is_JSON(
        string path, string body, int? format, string answer)
    {
        await StartAsync(throws: false);
        await AskAsync(CoapMethod.Put, path, Content(body, format)).Says(answer);
    }

    [Fact]
    public async Task A_handler_that_refuses_a_request_itself_chooses_the_text_and_is_not_logged()
    {
        await StartAsync(throws: false);
        await GetAsync("/refused").Says("not today");
        Assert.Empty(_log.Of(ArgumentRefused));
    }

    private static CoapContent? Content(string? body, int? format) => body is null ? null
        : new CoapContent(Encoding.UTF8.GetBytes(body), format is { } number ? new CoapContentFormat((ushort)number) : null);

    private Task StartAsync(bool throws) => StartAsync(Map, services => services
        .AddSingleton<ILoggerProvider>(_log).AddSingleton(new Sensor())
        .Configure<RouteHandlerOptions>(options => options.ThrowOnBadRequest = throws));

    private static void Map(WebApplication application)
    {
        RouteGroupBuilder all = application.MapGroup(string.Empty).WithCoap();
        all.MapGet("/query", (string name, int count) => $"{name} {count}");
        all.MapGet("/named", ([FromQuery(Name = "limit")] int most) => $"{most}");
        all.MapGet("/route/{id}", (int id, Sensor sensor) => $"{id} {sensor}");
        all.MapGet("/header", ([FromHeader(Name = "X-Place")] string place) => place);
        all.MapPut("/number", ([FromBody] double celsius, Sensor sensor, CoapServer server) => $"{celsius}");
        all.MapPut("/truth", ([FromBody] bool on) => $"{on}");
        all.MapPut("/light", (Light light) => $"{light}");
        all.MapGet("/refused", () => Results.Text("not today", statusCode: 400));
    }

    internal sealed record Light(int Id);

    internal sealed class Sensor;
}
