using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Tests.Resources;

/// <summary>A handler that generated code calls allocates no more than one of the same form that is called directly.</summary>
public sealed class BoundCostTests
{
    private const int Rounds = 200;

    private static readonly byte[] s_bytes = new byte[8];

    private readonly ResourceStage _stage = new();

    [Fact]
    public void A_bound_handler_that_returns_bytes_allocates_no_more_than_a_plain_handler() =>
        IsNotDearer(_stage.MapGet("/a", _ => s_bytes), _stage.MapGet("/b", () => s_bytes));

    [Fact]
    public void A_bound_handler_that_returns_a_text_allocates_no_more_than_a_plain_handler() =>
        IsNotDearer(_stage.MapGet("/a", _ => "text"), _stage.MapGet("/b", (CoapPeer peer) => "text"));

    [Fact]
    public void A_bound_handler_that_returns_a_result_allocates_no_more_than_a_plain_handler() => IsNotDearer(
        _stage.MapGet("/a", (request, _) => new ValueTask<CoapResult>(CoapResults.Text("x"))),
        _stage.MapGet("/b", (CoapPeer peer, CancellationToken token) => new ValueTask<CoapResult>(CoapResults.Text("x"))));

    [Fact]
    public void A_bound_route_value_allocates_no_more_than_a_plain_handler() => IsNotDearer(
        _stage.MapGet("/a/{id}", request => CoapResults.Text(request.Route["id"])),
        _stage.MapGet("/b/{id}", (string id) => CoapResults.Text(id)));

    [Fact]
    public void A_bound_asynchronous_handler_allocates_no_more_than_a_plain_handler()
    {
        Allocations.NeedOptimizedCode();
        TaskCompletionSource<CoapResult> gate = new();
        IsNotDearer(
            _stage.MapGet("/a", async (_, _) => await gate.Task.ConfigureAwait(false)),
            _stage.MapGet("/b", async (CoapPeer peer) => await gate.Task.ConfigureAwait(false)),
            () =>
            {
                (TaskCompletionSource<CoapResult> old, gate) = (gate, new());
                old.SetResult(CoapResults.Changed());
            });
    }

    private void IsNotDearer(CoapRouteHandlerBuilder direct, CoapRouteHandlerBuilder bound, Action? complete = null)
    {
        long expected = Measure(direct.Template);
        long actual = Measure(bound.Template);
        Assert.InRange(actual, 0, expected);

        long Measure(string template)
        {
            string path = template.Replace("{id}", "1", Ordinal);
            return Allocations.Least(() =>
            {
                for (int i = 0; i < Rounds; i++)
                {
                    Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, path);
                    complete?.Invoke();
                    Assert.True(answer.IsCompletedSuccessfully);
                }
            }) / Rounds;
        }
    }
}
