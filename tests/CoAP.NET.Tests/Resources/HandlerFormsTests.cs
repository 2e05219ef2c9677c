using CoAP.NET.Composition.Stages;

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
        _stage.MapGet(Path(), (CoapRequestContext request) => CoapResults.Text("hi"));
        _stage.MapGet(Path(), (CoapRequestContext request, CancellationToken ct) => CoapResults.Text("hi"));
        _stage.MapGet(Path(), async () => { await Task.Yield(); return "hi"; });
        _stage.MapGet(Path(), async (CoapRequestContext request) => { await Task.Yield(); return CoapResults.Text("hi"); });
        _stage.MapGet(Path(), async (request, ct) => { await Task.Yield(); return CoapResults.Text("hi"); });
        _stage.MapGet(Path(), async (CoapRequestContext request, CancellationToken ct) => { await Task.Yield(); return "hi"; });
        _stage.MapGet(Path(), (CoapRequestContext request) => Task.FromResult(CoapResults.Text("hi")));
        _stage.MapGet(Path(), (CoapRequestContext request) => new ValueTask<CoapResult>(CoapResults.Text("hi")));
        _stage.MapGet(Path(), (request, ct) => new ValueTask<CoapResult>(CoapResults.Text("hi")));
        _stage.MapGet(Path(), (CoapRequestContext request, CancellationToken ct) => Task.FromResult(CoapResults.Text("hi")));
        _stage.MapGet(Path(), static () => new ValueTask<CoapResult>(CoapResults.Text("hi")));
        _stage.MapGet(Path(), GetString);
        _stage.MapGet(Path(), GetResult);
        _stage.MapGet(Path(), GetResultAsync);
        _stage.MapGet(Path(), GetOtherResultAsync);
        _stage.Map(Path(), [CoapMethod.Get, CoapMethod.Fetch], async (CoapRequestContext request, CancellationToken ct) =>
        {
            await Task.Yield();
            return "hi";
        });
        Func<CoapRequestContext, Task<CoapResult>> variable = request => Task.FromResult(CoapResults.Text("hi"));
        _stage.MapGet(Path(), variable);
        CoapHandler own = (request, ct) => new(CoapResults.Text("hi"));
        _stage.Map(Path(), [CoapMethod.Get], own);
        for (int i = 0; i < n; i++)
        {
            CoapResult result = await _stage.SendAsync(CoapMethod.Get, $"/{i}").WaitAsync(FromMinutes(2));
            Assert.Equal(CoapCode.Content, result.Code);
            Assert.Equal("hi"u8.ToArray(), result.Payload.ToArray());
        }
    }

    [Fact]
    public void Handlers_that_only_throw_compile()
    {
        _stage.MapGet("/1", CoapResult () => throw new InvalidOperationException());
        _stage.MapGet("/2", request => throw new InvalidOperationException());
        _stage.MapGet("/3", (request, ct) => throw new InvalidOperationException());
        _stage.Get("/1").Gives(CoapCode.InternalServerError);
        _stage.Get("/2").Gives(CoapCode.InternalServerError);
        _stage.Get("/3").Gives(CoapCode.InternalServerError);
    }

    [Fact]
    public void The_error_about_a_delegate_with_unbound_parameters_names_the_missing_package()
    {
        Delegate handler = (int n) => n;
#pragma warning disable COAP0007 // that is the test
        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(() => _stage.MapGet("/x", handler));
#pragma warning restore COAP0007
        exception.Mentions("'/x'");
        exception.Mentions("CoAP.NET.Dataflow");
        Assert.Empty(_stage.Table.Snapshot().Routes);
    }

    [Fact]
    public void A_null_result_gives_4_04()
    {
        _stage.MapGet("/direct", () => Nobody());
        _stage.MapGet("/bound", (CoapPeer peer) => Nobody());
        _stage.MapGet("/result", () => (CoapResult?)null);
        _stage.MapGet("/task", () => Task.FromResult((CoapResult?)null));
        _stage.Get("/result").Gives(CoapCode.NotFound);
        _stage.Get("/task").Gives(CoapCode.NotFound);
        _stage.Get("/direct").Gives(CoapCode.NotFound);
        _stage.Get("/bound").Gives(CoapCode.NotFound);
    }

    [Fact]
    public void Every_method_has_a_Map_method()
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
        fetch.Options.AddUInt(CoAP.NET.OptionNumber.ContentFormat, 60);
        Assert.Equal("5"u8.ToArray(), _stage.Send(fetch).Payload.ToArray());
    }

    private static string? Nobody() => null;

    private static string GetString() => "hi";

    private static CoapResult GetResult(CoapRequestContext request) => CoapResults.Text("hi");

    private static Task<CoapResult> GetResultAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        Task.FromResult(CoapResults.Text("hi"));

    private static ValueTask<CoapResult> GetOtherResultAsync(CoapRequestContext request) => new(CoapResults.Text("hi"));
}
