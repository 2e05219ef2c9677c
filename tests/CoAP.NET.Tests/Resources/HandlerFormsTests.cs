namespace CoAP.NET.Tests.Resources;

/// <summary>That each form of handler compiles without a cast is the test; that it answers is the proof.</summary>
public class HandlerFormsTests
{
    private readonly ResourceStage _stage = new();

    [Fact]
    public async Task Every_form_of_handler_compiles_and_answers()
    {
        int n = 0;
        string Path() => $"/{n++}";
        _stage.MapGet(Path(), () => "hi");
        _stage.MapGet(Path(), () => CoapResults.Text("hi"));
        _stage.MapGet(Path(), () => "hi"u8.ToArray());
        _stage.MapGet(Path(), () => CoapContent.Text("hi"));
        _stage.MapGet(Path(), request => "hi");
        _stage.MapGet(Path(), _ => CoapResults.Text("hi"));
        _stage.MapGet(Path(), (CoapRequest request) => CoapResults.Text("hi"));
        _stage.MapGet(Path(), (request, ct) => CoapResults.Text("hi"));
        _stage.MapGet(Path(), async () => { await Task.Yield(); return "hi"; });
        _stage.MapGet(Path(), async request => { await Task.Yield(); return CoapResults.Text("hi"); });
        _stage.MapGet(Path(), async (request, ct) => { await Task.Yield(); return CoapResults.Text("hi"); });
        _stage.MapGet(Path(), async (CoapRequest request, CancellationToken ct) => { await Task.Yield(); return "hi"; });
        _stage.MapGet(Path(), request => Task.FromResult(CoapResults.Text("hi")));
        _stage.MapGet(Path(), request => new ValueTask<CoapResult>(CoapResults.Text("hi")));
        _stage.MapGet(Path(), (request, ct) => new ValueTask<CoapResult>(CoapResults.Text("hi")));
        _stage.MapGet(Path(), (request, ct) => Task.FromResult(CoapResults.Text("hi")));
        _stage.MapGet(Path(), static () => new ValueTask<CoapResult>(CoapResults.Text("hi")));
        _stage.MapGet(Path(), GetString);
        _stage.MapGet(Path(), GetResult);
        _stage.MapGet(Path(), GetResultAsync);
        _stage.MapGet(Path(), GetOtherResultAsync);
        _stage.Map(Path(), [CoapMethod.Get, CoapMethod.Fetch], async (request, ct) => { await Task.Yield(); return "hi"; });
        for (int i = 0; i < n; i++)
        {
            CoapResult result = await _stage.SendAsync(CoapMethod.Get, $"/{i}").WaitAsync(TimeSpan.FromMinutes(2));
            Assert.Equal(CoapCode.Content, result.Code);
            Assert.Equal("hi"u8.ToArray(), result.Payload.ToArray());
        }
    }

    [Fact]
    public void Handlers_that_only_throw_compile()
    {
        _stage.MapGet("/1", () => throw new InvalidOperationException());
        _stage.MapGet("/2", request => throw new InvalidOperationException());
        _stage.MapGet("/3", (request, ct) => throw new InvalidOperationException());
        Assert.Equal(CoapCode.InternalServerError, _stage.Get("/1").Code);
        Assert.Equal(CoapCode.InternalServerError, _stage.Get("/2").Code);
        Assert.Equal(CoapCode.InternalServerError, _stage.Get("/3").Code);
    }

    [Fact]
    public void Every_method_has_its_map()
    {
        _stage.MapGet("/", () => "1");
        _stage.MapPost("/", () => "2");
        _stage.MapPut("/", () => "3");
        _stage.MapDelete("/", () => "4");
        _stage.MapPatch("/", () => "6");
        _stage.MapIPatch("/", () => "7");
        foreach (int method in new[] { 1, 2, 3, 4, 6, 7 })
        {
            Assert.Equal((byte)('0' + method), Assert.Single(_stage.Send((CoapMethod)method, "/").Payload.ToArray()));
        }

        _stage.MapFetch("/", request => "5");
        CoapMessage fetch = ResourceStage.Message(CoapMethod.Fetch, "/");
        fetch.Options.AddUInt(CoAP.NET.Options.OptionNumber.ContentFormat, 60);
        Assert.Equal("5"u8.ToArray(), _stage.Send(fetch).Payload.ToArray());
    }

    private static string GetString() => "hi";

    private static CoapResult GetResult(CoapRequest request) => CoapResults.Text("hi");

    private static Task<CoapResult> GetResultAsync(CoapRequest request, CancellationToken cancellationToken) =>
        Task.FromResult(CoapResults.Text("hi"));

    private static ValueTask<CoapResult> GetOtherResultAsync(CoapRequest request) => new(CoapResults.Text("hi"));
}
