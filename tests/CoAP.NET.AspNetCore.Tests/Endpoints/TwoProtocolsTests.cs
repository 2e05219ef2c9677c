using System.Text.Json;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Net.Http.Headers;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>The same handler says the same over HTTP and over CoAP.</summary>
public sealed class TwoProtocolsTests(TwoProtocolsTests.Both both) : IClassFixture<TwoProtocolsTests.Both>
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly HttpClient _http = both.OverHttp;

    [Theory]
    [InlineData("GET", "/api/lights/7", null, 200, "2.05")]
    [InlineData("GET", "/api/lights/hall", null, 200, "2.05")]
    [InlineData("GET", "/api/lights/8", null, 404, "4.04")]
    [InlineData("GET", "/api/nothing", null, 404, "4.04")]
    [InlineData("GET", "/api/query?name=a%26b%2B&count=3", null, 200, "2.05")]
    [InlineData("POST", "/api/lights", """{"id":9,"isOn":true}""", 201, "2.01")]
    [InlineData("PUT", "/api/lights/7", """{"id":7,"isOn":true}""", 204, "2.04")]
    [InlineData("PUT", "/api/lights/8", """{"id":8,"isOn":true}""", 409, "4.09")]
    [InlineData("PATCH", "/api/lights/7", """{"id":7,"isOn":true}""", 200, "2.04")]
    [InlineData("DELETE", "/api/lights/7", null, 204, "2.02")]
    [InlineData("DELETE", "/api/lights", null, 405, "4.05")]
    [InlineData("GET", "/api/pages", null, 200, "2.05")]
    [InlineData("GET", "/api/pages/5", null, 200, "2.05")]
    [InlineData("GET", "/api/files/a.b.txt", null, 200, "2.05")]
    [InlineData("GET", "/api/files/txt", null, 404, "4.04")]
    [InlineData("GET", "/api/tree/a/b%20c/d", null, 200, "2.05")]
    [InlineData("GET", "/api/filtered?to=5", null, 200, "2.05")]
    [InlineData("GET", "/api/filtered?to=50", null, 422, "4.22")]
    [InlineData("GET", "/api/task", null, 200, "2.05")]
    [InlineData("GET", "/api/raw", null, 200, "2.05")]
    public async Task A_handler_gives_HTTP_and_CoAP_requests_the_same_content_and_the_matching_code(
        string method, string path, string? json, int status, string code)
    {
        using HttpRequestMessage request = new(new HttpMethod(method), path);
        request.Content = json is null ? null : new StringContent(json, Encoding.UTF8, "application/json");

        using HttpResponseMessage http = await _http.SendAsync(request).WaitAsync(s_hang);
        CoapResponse coap = await both.AskAsync(Enum.Parse<CoapMethod>(method, ignoreCase: true), path,
            json is null ? null : CoapContent.Text(json, CoapContentFormat.Json));

        Assert.Equal((status, code), ((int)http.StatusCode, coap.Code.ToString()[..4]));
        Assert.Equal(await http.Content.ReadAsStringAsync().WaitAsync(s_hang), coap.GetText());
        Assert.Equal(http.Content.Headers.ContentType?.MediaType, coap.ContentFormat?.MediaType?.Split(';')[0]);
        Assert.Equal(http.Headers.Location?.OriginalString, coap.Options.Location);
    }

    [Fact]
    public async Task A_JSON_handler_accepts_and_answers_CBOR()
    {
        CoapContent light = CoapContent.Cbor(new Light(9, IsOn: true), JsonSerializerOptions.Web);

        CoapResponse created = await both.AskAsync(CoapMethod.Post, "/api/lights", light);
        CoapResponse read = await both.GetAsync("/api/lights/7", request => request.Accept = CoapContentFormat.Cbor);
        CoapResponse refused = await both.AskAsync(CoapMethod.Put, "/api/lights/8", light);
        CoapResponse broken = await both.AskAsync(CoapMethod.Post, "/api/lights",
            new CoapContent(new byte[] { 0x81 }, CoapContentFormat.Cbor));

        Assert.Equal(new Light(9, IsOn: true), created.ReadCbor<Light>(JsonSerializerOptions.Web));
        Assert.Equal(new Light(7, IsOn: false), read.ReadCbor<Light>(JsonSerializerOptions.Web));
        Assert.Equal((CoapCode.Conflict, CoapContentFormat.Cbor), (refused.Code, refused.ContentFormat!.Value));
        broken.Gives(CoapCode.BadRequest);
    }

    [Fact]
    public async Task A_handler_that_reads_CBOR_gets_the_body_unchanged()
    {
        byte[] cbor = [0x83, 1, 2, 3];

        CoapResponse response = await both.AskAsync(CoapMethod.Post, "/api/cbor", new CoapContent(cbor, CoapContentFormat.Cbor));

        Assert.Equal(cbor, response.Payload.ToArray());
        Assert.Equal(CoapContentFormat.Cbor, response.ContentFormat);
    }

    [Fact]
    public async Task Problem_details_are_sent_as_concise_problem_details()
    {
        CoapResponse response = await both.GetAsync("/api/problem");

        response.Gives(CoapCode.Forbidden);
        Assert.True(response.TryReadProblem(out CoapProblem? problem));
        Assert.Equal("Not by night", problem.Title);
    }

    [Fact]
    public async Task A_response_in_a_format_that_the_client_does_not_accept_is_4_06() =>
        await both.GetAsync("/api/lights/7", request => request.Accept = CoapContentFormat.Xml).Gives(CoapCode.NotAcceptable);

    [Fact]
    public async Task iPATCH_is_for_PATCH_and_FETCH_is_for_QUERY()
    {
        await both.AskAsync(CoapMethod.IPatch, "/api/method", CoapContent.Text("x")).Says("PATCH");
        await both.AskAsync(CoapMethod.Fetch, "/api/method", CoapContent.Text("x")).Says("QUERY x");
    }

    [Fact]
    public async Task ETags_validate_responses_and_guard_changes()
    {
        CoapResponse first = await both.GetAsync("/api/tagged");
        CoapETag tag = first.Options.ETag!.Value;

        CoapResponse again = await both.GetAsync("/api/tagged", request => request.Options.ETag = tag);
        CoapResponse changed = await both.AskAsync(CoapMethod.Put, "/api/tagged", null,
            request => request.Options.Add(OptionNumber.IfMatch, tag.ToArray()));
        CoapResponse other = await both.AskAsync(CoapMethod.Put, "/api/tagged", null,
            request => request.Options.Add(OptionNumber.IfMatch, "other"u8));

        Assert.Equal(FromSeconds(30), first.MaxAge);
        again.Gives(CoapCode.Valid);
        changed.Gives(CoapCode.Changed);
        other.Gives(CoapCode.PreconditionFailed);
    }

    [Fact]
    public async Task A_response_without_freshness_information_has_a_Max_Age_of_zero()
    {
        Assert.Equal(TimeSpan.Zero, (await both.GetAsync("/api/lights/7")).MaxAge);
    }

    [Fact]
    public async Task A_redirect_is_answered_5_01()
    {
        await both.GetAsync("/api/moved").Gives(CoapCode.NotImplemented);
    }

    [Fact]
    public async Task A_handler_that_throws_is_answered_5_00_without_details()
    {
        CoapResponse response = await both.GetAsync("/api/broken");

        response.Gives(CoapCode.InternalServerError);
        Assert.Empty(response.GetText());
    }

    [Fact]
    public async Task A_handler_has_the_context_of_a_request()
    {
        string[] said = (await both.GetAsync("/api/context")).GetText().Split('|');

        Assert.Equal(["coap", EndpointTest.Host, "/api/context", "2001:db8:0:1::1", "True", "GET /api/context", "7"], said);
    }

    [Fact]
    public async Task Services_of_a_request_are_disposed_and_response_callbacks_are_called_at_its_end()
    {
        CoapResponse response = await both.GetAsync("/api/scoped");

        response.Says("started");
        await both.Ended.Callbacks.Task.WaitAsync(s_hang);
        await both.Ended.Scope.Task.WaitAsync(s_hang);
    }

    [Fact]
    public async Task Bodies_of_any_size_are_transferred_in_both_directions()
    {
        byte[] body = new byte[20_000];
        new Random(1).NextBytes(body);

        CoapResponse response = await both.AskAsync(CoapMethod.Post, "/api/echo", CoapContent.Binary(body));

        Assert.Equal(body, response.Payload.ToArray());
        Assert.Equal(CoapContentFormat.OctetStream, response.ContentFormat);
    }

    private static void Map(WebApplication application)
    {
        RouteGroupBuilder api = application.MapGroup("/api").WithCoap();
        api.MapGet("/lights/{id:int}", (int id, Lights lights) => lights.Find(id) is { } light ? Results.Ok(light) : Results.NotFound());
        api.MapGet("/lights/{name:alpha}", (string name) => $"the light of the {name}");
        api.MapPost("/lights", (Light light) => TypedResults.Created($"/api/lights/{light.Id}?new", light));
        api.MapPut("/lights/{id:int}", (int id, Light light, Lights lights) =>
            lights.Find(id) is null ? Results.Conflict("no such light") : Results.NoContent());
        api.MapPatch("/lights/{id:int}", (int id, Light light) => light with { Id = id });
        api.MapDelete("/lights/{id:int}", (int id) => Results.NoContent());
        api.MapGet("/query", (string name, int count) => $"{name} {count}");
        api.MapGet("/pages/{number:int?}", (int? number) => $"page {number ?? 1}");
        api.MapGet("/files/{name}.{extension}", (string name, string extension) => $"{name} + {extension}");
        api.MapGet("/tree/{**path}", (string path) => path);
        api.MapGet("/filtered", (int to) => $"to {to}").AddEndpointFilter(async (context, next) =>
            context.GetArgument<int>(0) > 9 ? Results.UnprocessableEntity("too much") : await next(context));
        api.MapGet("/task", async (CancellationToken cancellationToken) =>
        {
            await Task.Yield();
            cancellationToken.ThrowIfCancellationRequested();
            return TypedResults.Text("later", "text/plain", Encoding.UTF8);
        });
        api.Map("/raw", context => context.Response.WriteAsync("raw"));
        api.MapMethods("/method", ["PATCH"], (HttpContext context) => context.Request.Method);
        api.MapMethods("/method", ["QUERY"], async (HttpContext context) =>
        {
            using StreamReader reader = new(context.Request.Body);
            return $"{context.Request.Method} {await reader.ReadToEndAsync()}";
        });
        api.MapGet("/tagged", (HttpContext context) =>
        {
            context.Response.Headers.CacheControl = "max-age=30";
            return Results.Bytes("tagged"u8.ToArray(), "text/plain", entityTag: new EntityTagHeaderValue("\"a long entity-tag\""));
        });
        api.MapPut("/tagged", (HttpContext context) => context.Request.Headers.IfMatch is ["\"a long entity-tag\""]
            ? Results.NoContent() : Results.StatusCode(StatusCodes.Status412PreconditionFailed));
        api.MapPost("/cbor", (Stream body) => Results.Stream(body, "application/cbor")).Accepts<byte[]>("application/cbor");
        api.MapGet("/problem", () => Results.Problem(statusCode: StatusCodes.Status403Forbidden, title: "Not by night"));
        api.MapGet("/moved", () => Results.Redirect("/api/lights"));
        api.MapGet("/broken", string () => throw new InvalidOperationException("a secret"));
        api.MapGet("/context", (HttpContext context, [FromServices] IServiceProvider services, LinkGenerator links) => string.Join('|',
            context.Request.Scheme, context.Request.Host, context.Request.Path, context.Connection.RemoteIpAddress,
            ReferenceEquals(services.GetRequiredService<IHttpContextAccessor>().HttpContext, context),
            $"{context.GetCoapRequest()!.Code} {context.GetCoapRequest()!.Path}", services.GetRequiredService<Lights>().Find(7)!.Id));
        api.MapGet("/scoped", (HttpContext context, Scoped scoped, Ended ended) =>
        {
            context.Response.OnStarting(() =>
            {
                context.Response.Headers.ContentType = "text/plain";
                return Task.CompletedTask;
            });
            context.Response.OnCompleted(() =>
            {
                ended.Callbacks.SetResult();
                return Task.CompletedTask;
            });
            return context.Response.WriteAsync("started");
        });
        api.MapPost("/echo", (Stream body) => Results.Stream(body, "application/octet-stream"));
    }

    internal sealed record Light(int Id, bool IsOn);

    internal sealed class Lights
    {
        public Light? Find(int id) => id == 7 ? new Light(7, IsOn: false) : null;
    }

    internal sealed class Ended
    {
        public TaskCompletionSource Callbacks { get; } = new();

        public TaskCompletionSource Scope { get; } = new();
    }

    internal sealed class Scoped(Ended ended) : IDisposable
    {
        public void Dispose() => ended.Scope.SetResult();
    }

    /// <summary>One application for all.</summary>
    public sealed class Both : EndpointTest, IAsyncLifetime
    {
        public HttpClient OverHttp => Http;

        internal Ended Ended { get; } = new();

        public async ValueTask InitializeAsync() => await StartAsync(Map, services => services.AddScoped<Lights>().AddHttpContextAccessor()
            .AddSingleton(Ended).AddScoped<Scoped>());
    }
}
